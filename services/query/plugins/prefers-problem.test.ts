import { expect, it } from 'vitest';
import { prefersProblem } from './prefers-problem.ts';

it.each([
  'application/problem+json',
  'Application/Problem+JSON ; q=0.1',
  'application/problem+json, application/json;q=0.9',
  'application/json;q=0.5, application/problem+json;q=0.6, */*',
  'application/problem+json, */*;q=0.1',
  'text/html, application/problem+json;q=0.3, application/*;q=0.2, */*',
])('does: %s', (accept) => {
  expect(prefersProblem(accept)).toBe(true);
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
])('does not: %s', (accept) => {
  expect(prefersProblem(accept)).toBe(false);
});
