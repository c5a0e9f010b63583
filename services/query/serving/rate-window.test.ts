import { expect, it } from 'vitest';
import { rateWindow } from './rate-window.ts';

const MINUTE = 60_000;

/** A window of a minute, by clocks that the test sets. */
function windowAt(begun: number, maxSubjects = 1_000) {
  const at = { steady: begun, wall: begun };
  const clock = { steady: () => at.steady, wall: () => at.wall };
  return { at, ...rateWindow({ clock, windowMs: MINUTE, maxSubjects }) };
}

it('counts down to the limit, and refuses beyond it', () => {
  const window = windowAt(10 * MINUTE);
  const standings = [1, 2, 3].map(() => window.take('a', 2));
  expect(standings.map(({ isAllowed, remaining }) => [isAllowed, remaining])).toEqual([
    [true, 1],
    [true, 0],
    [false, 0],
  ]);
  expect(window.take('b', 2).isAllowed).toBe(true);
});

it('begins anew with the next minute', () => {
  const { at, take } = windowAt(10 * MINUTE + 59_999);
  expect(take('a', 1)).toMatchObject({ isAllowed: true, resetAt: 11 * 60, retryAfterSeconds: 1 });
  expect(take('a', 1).isAllowed).toBe(false);
  at.steady += 1;
  at.wall += 1;
  expect(take('a', 1)).toMatchObject({ isAllowed: true, resetAt: 12 * 60, retryAfterSeconds: 60 });
});

it.each([
  [20_000, 40],
  [20_001, 40],
  [20_999, 40],
  [21_000, 39],
  [59_000, 1],
  [59_999, 1],
])('says at %i ms of the minute to wait for %i seconds', (into, seconds) => {
  const { at, take } = windowAt(10 * MINUTE + 20_000);
  take('a', 1);
  at.steady = 10 * MINUTE + into;
  at.wall = at.steady;
  expect(take('a', 1)).toMatchObject({ retryAfterSeconds: seconds, resetAt: 11 * 60 });
});

it.each([
  ['back', -3 * 3_600_000],
  ['forth', 3 * 3_600_000],
])('goes on where the clock is set %s, and tells the end of the window by the new time', (_, step) => {
  const { at, take } = windowAt(10 * MINUTE + 10_000);
  expect(take('a', 2)).toMatchObject({ remaining: 1, resetAt: 11 * 60 });
  at.wall += step;
  at.steady += 1_000;
  at.wall += 1_000;
  expect(take('a', 2)).toMatchObject({
    remaining: 0,
    resetAt: 11 * 60 + step / 1_000,
    retryAfterSeconds: 49,
  });
  expect(take('a', 2).isAllowed).toBe(false);
  at.steady += 49_000;
  at.wall += 49_000;
  expect(take('a', 2)).toMatchObject({ isAllowed: true, remaining: 1, resetAt: 12 * 60 + step / 1_000 });
});

it('follows a limit that is raised within a window', () => {
  const { take } = windowAt(0);
  for (let count = 0; count < 10; count++) take('a', 1);
  expect(take('a', 2).isAllowed).toBe(true);
});

it('tells where a subject stands without counting it', () => {
  const { look, take } = windowAt(0);
  expect(look('a', 2)).toMatchObject({ isAllowed: true, remaining: 2 });
  take('a', 2);
  for (let looks = 0; looks < 3; looks++) expect(look('a', 2)).toMatchObject({ remaining: 1 });
});

it('counts together those beyond the number it tells apart', () => {
  const { look, take } = windowAt(0, 2);
  for (const subject of ['a', 'b']) expect(take(subject, 1).isAllowed).toBe(true);
  expect(take('c', 1).isAllowed).toBe(true);
  expect(take('d', 1).isAllowed).toBe(false);
  expect(look('e', 1).remaining).toBe(0);
  expect(take('a', 2).isAllowed).toBe(true);
});
