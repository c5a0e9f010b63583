import { afterEach, expect, it, vi } from 'vitest';
import { backoffMs } from './backoff.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

it.each([
  [1, 100],
  [2, 200],
  [4, 800],
  [8, 10_000],
  [1_000, 10_000],
])('waits at most twice as long each time, after %i failures %i ms', (failures, longest) => {
  const random = vi.spyOn(Math, 'random');
  random.mockReturnValue(1);
  expect(backoffMs(failures, { first: 100, most: 10_000 })).toBe(longest);
  random.mockReturnValue(0);
  expect(backoffMs(failures, { first: 100, most: 10_000 })).toBe(longest / 2);
});
