import { expect, it } from 'vitest';
import { prefersToJson } from './errors.ts';

it.each([
  'application/problem+json',
  'Application/Problem+JSON ; q=0.1',
  'application/problem+json, application/json;q=0.9',
  'application/json;q=0.5, application/problem+json;q=0.6, */*',
  'application/problem+json, */*;q=0.1',
  'text/html, application/problem+json;q=0.3, application/*;q=0.2, */*',
])('is true for: %s', (accept) => {
  expect(prefersToJson('application/problem+json', accept)).toBe(true);
});

it.each([
  undefined,
  '',
  '*/*',
  'application/*',
  'application/json',
  'application/json, application/problem+json',
  'application/problem+json, */*',
  'application/problem+json;q=0',
  'application/problem+json;q=0.4, application/json;q=0.5',
  'application/problem+jsonx',
  'text/html',
])('is false for: %s', (accept) => {
  expect(prefersToJson('application/problem+json', accept)).toBe(false);
});
