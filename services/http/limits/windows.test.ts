import { expect, it } from 'vitest';
import { ratePolicy } from './policy.ts';
import { memoryWindows, windowState } from './windows.ts';

const MINUTE = 60_000;

/** A window of a minute, by clocks that the test sets. */
function windowAt(begun: number, maxSubjects = 1_000) {
  const at = { steady: begun, wall: begun };
  const clock = { steady: () => at.steady, wall: () => at.wall };
  const windows = memoryWindows(clock, maxSubjects);
  const add = async (subject: string, limit: number, requests: number) => {
    const policy = ratePolicy('test', limit, MINUTE);
    const [count] = await windows.add([{ subject, policy }], requests);
    if (count === undefined) throw new Error('no window counted');
    return windowState(policy, { used: count.before + requests, msLeft: count.msLeft }, at.wall);
  };
  return {
    at,
    take: (subject: string, limit: number) => add(subject, limit, 1),
    peek: (subject: string, limit: number) => add(subject, limit, 0),
    add,
  };
}

it('counts down to the limit, and rejects beyond it', async () => {
  const window = windowAt(10 * MINUTE);
  const states = await Promise.all([1, 2, 3].map(() => window.take('a', 2)));
  expect(states.map(({ isAllowed, remaining }) => [isAllowed, remaining])).toEqual([
    [true, 1],
    [true, 0],
    [false, 0],
  ]);
  expect((await window.take('b', 2)).isAllowed).toBe(true);
});

it('starts again with the next minute', async () => {
  const { at, take } = windowAt(10 * MINUTE + 59_999);
  expect(await take('a', 1)).toMatchObject({ isAllowed: true, resetAt: 11 * 60, retryAfterSeconds: 1 });
  expect((await take('a', 1)).isAllowed).toBe(false);
  at.steady += 1;
  at.wall += 1;
  expect(await take('a', 1)).toMatchObject({ isAllowed: true, resetAt: 12 * 60, retryAfterSeconds: 60 });
});

it.each([
  [20_000, 40],
  [20_001, 40],
  [20_999, 40],
  [21_000, 39],
  [59_000, 1],
  [59_999, 1],
])('reports at %i ms of the minute to wait %i seconds', async (into, seconds) => {
  const { at, take } = windowAt(10 * MINUTE + 20_000);
  await take('a', 1);
  at.steady = 10 * MINUTE + into;
  at.wall = at.steady;
  expect(await take('a', 1)).toMatchObject({ retryAfterSeconds: seconds, resetAt: 11 * 60 });
});

it.each([
  ['back', -3 * 3_600_000],
  ['forth', 3 * 3_600_000],
])('continues if the clock is set %s, and reports the end of the window by the new time', async (_, step) => {
  const { at, take } = windowAt(10 * MINUTE + 10_000);
  expect(await take('a', 2)).toMatchObject({ remaining: 1, resetAt: 11 * 60 });
  at.wall += step;
  at.steady += 1_000;
  at.wall += 1_000;
  expect(await take('a', 2)).toMatchObject({
    remaining: 0,
    resetAt: 11 * 60 + step / 1_000,
    retryAfterSeconds: 49,
  });
  expect((await take('a', 2)).isAllowed).toBe(false);
  at.steady += 49_000;
  at.wall += 49_000;
  expect(await take('a', 2)).toMatchObject({
    isAllowed: true,
    remaining: 1,
    resetAt: 12 * 60 + step / 1_000,
  });
});

it('follows a limit that is raised within a window', async () => {
  const { take } = windowAt(0);
  for (let count = 0; count < 10; count++) await take('a', 1);
  expect((await take('a', 2)).isAllowed).toBe(true);
});

it('reads a subject without counting', async () => {
  const { peek, take } = windowAt(0);
  expect(await peek('a', 2)).toMatchObject({ isAllowed: true, remaining: 2 });
  await take('a', 2);
  for (let reads = 0; reads < 3; reads++) expect(await peek('a', 2)).toMatchObject({ remaining: 1 });
});

it('accepts new subjects at the maximum, and forgets the earliest', async () => {
  const { peek, take } = windowAt(0, 2);
  for (const subject of ['a', 'b', 'c', 'd', 'e']) expect((await take(subject, 1)).isAllowed).toBe(true);
  expect((await take('e', 1)).isAllowed).toBe(false);
  expect((await peek('a', 1)).remaining).toBe(1);
});

it('counts requests together, and none beyond the limit', async () => {
  const { add, take } = windowAt(0);
  expect((await add('a', 5, 3)).remaining).toBe(2);
  expect(await add('a', 5, 4)).toMatchObject({ isAllowed: false, remaining: 0 });
  expect(await take('a', 6)).toMatchObject({ isAllowed: true, remaining: 0 });
});
