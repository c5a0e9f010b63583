import { expect, it } from 'vitest';
import { rateWindow } from './rate-window.ts';

const MINUTE = 60_000;

it('counts down to the limit, and refuses beyond it', () => {
  const window = rateWindow(() => 10 * MINUTE);
  const standings = [1, 2, 3].map(() => window.take('a', 2));
  expect(standings.map(({ isAllowed, remaining }) => [isAllowed, remaining])).toEqual([
    [true, 1],
    [true, 0],
    [false, 0],
  ]);
  expect(window.take('b', 2).isAllowed).toBe(true);
});

it('begins anew with the next minute', () => {
  let now = 10 * MINUTE + 59_999;
  const window = rateWindow(() => now);
  expect(window.take('a', 1)).toMatchObject({ isAllowed: true, resetAt: 11 * 60, retryAfterSeconds: 1 });
  expect(window.take('a', 1).isAllowed).toBe(false);
  now += 1;
  expect(window.take('a', 1)).toMatchObject({ isAllowed: true, resetAt: 12 * 60, retryAfterSeconds: 60 });
});

it('follows a limit that is raised within a window', () => {
  const window = rateWindow(() => 0);
  for (let count = 0; count < 10; count++) window.take('a', 1);
  expect(window.take('a', 2).isAllowed).toBe(true);
});

it('counts together those beyond the number it tells apart', () => {
  const window = rateWindow(() => 0, 2);
  for (const subject of ['a', 'b']) expect(window.take(subject, 1).isAllowed).toBe(true);
  expect(window.take('c', 1).isAllowed).toBe(true);
  expect(window.take('d', 1).isAllowed).toBe(false);
  expect(window.take('a', 2).isAllowed).toBe(true);
});
