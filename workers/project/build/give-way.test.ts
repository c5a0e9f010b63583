import { expect, it } from 'vitest';
import { restMs } from './give-way.ts';

it.each([
  [0, 0],
  [399, 0],
  [500, 150],
  [1_000, 300],
  [5_000, 600],
  [30_000, 600],
  [30_001, 0],
])('while changes wait for %i ms, a build rests %i ms after 300 ms of work', (lag, rest) => {
  expect(restMs(lag, 300)).toBe(rest);
});
