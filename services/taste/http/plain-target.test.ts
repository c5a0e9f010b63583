import { expect, it } from 'vitest';
import { pathOf, plainTarget } from './plain-target.ts';

it.each([
  ['/api/v1/me/profile', '/api/v1/me/profile'],
  ['/%61pi/v1/%6d%65/profile', '/api/v1/me/profile'],
  ['/%4D%2e%2D%5f%7E%30%5a', '/M.-_~0Z'],
  ['http://taste.example/api/v1/me/profile?x=1', '/api/v1/me/profile?x=1'],
  ['HTTPS://user@taste.example:8/conn%65ct', '/connect'],
  ['http://taste.example', '/'],
  ['http://taste.example?x', '/?x'],
  ['*', '/'],
])('reads %s as %s', (target, plain) => {
  expect(plainTarget(target)).toBe(plain);
});

it.each([
  '/connect?return=%68ttps%3A%2F%2Fapp.example',
  '/api%2fv1%2fme',
  '/a%3fb%23c%25d',
  '/%zz',
  '/%e',
  '/%2561',
  '//app.example/connect',
])('leaves %s as it is', (target) => {
  expect(plainTarget(target)).toBe(target);
});

it('separates the path from the query and the fragment', () => {
  expect(['/a?b#c', '/a#b?c', '/a', ''].map(pathOf)).toEqual(['/a', '/a', '/a', '']);
});
