import { expect, it } from 'vitest';
import { throttle } from './throttle.ts';

it('writes at most once per interval and counts what it skipped', () => {
  let clock = 0;
  const throttled = throttle(1_000, () => clock);
  const written: [at: number, skipped: number][] = [];
  for (clock of [0, 1, 999, 1_000, 1_001, 5_000]) throttled((skipped) => written.push([clock, skipped]));
  expect(written).toEqual([
    [0, 0],
    [1_000, 2],
    [5_000, 1],
  ]);
});
