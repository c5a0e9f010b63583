import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decide, standingAt } from './decide.ts';
import { ratePolicy } from './policy.ts';

const MINUTE = 60_000;

/** What the store grants of requests that ask together, as its script reckons. */
function granted(asked: number, free: number, left: readonly number[]): number {
  return left.reduce(
    (passing, room) => Math.max(0, Math.min(passing, room)),
    Math.max(0, Math.min(asked, free)),
  );
}

it('lets in as many requests as the store has counted, the first ones', () => {
  const windows = fc.array(fc.record({ limit: fc.integer({ min: 1, max: 8 }), used: fc.nat(8) }), {
    minLength: 1,
    maxLength: 3,
  });
  const places = fc.option(fc.record({ most: fc.integer({ min: 1, max: 8 }), taken: fc.nat(10) }));
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 12 }), windows, places, (asked, given, limited) => {
      const decisions = Array.from({ length: asked }, (_, earlier) =>
        decide({
          windows: given.map(({ limit }, at) => ({
            key: `${at}`,
            policy: ratePolicy(`${at}`, limit, MINUTE),
          })),
          before: { now: 0, taken: limited?.taken ?? 0, used: given.map(({ used }) => used) },
          earlier,
          most: limited?.most ?? null,
          shown: given.length - 1,
        }),
      );
      const free = limited === null ? Number.POSITIVE_INFINITY : limited.most - limited.taken;
      const count = granted(
        asked,
        free,
        given.map(({ limit, used }) => limit - used),
      );
      expect(decisions.map(({ refusedBy }) => refusedBy === null)).toEqual(
        Array.from({ length: asked }, (_, at) => at < count),
      );
      for (const { refusedBy, standing } of decisions)
        if (refusedBy !== 'concurrency') expect(standing.isAllowed).toBe(refusedBy === null);
    }),
  );
});

const general = { key: 'general', policy: ratePolicy('default', 10, MINUTE) };
const group = { key: 'group', policy: ratePolicy('group', 3, MINUTE) };
const asked = { windows: [general, group], most: null, shown: 1 };
const at = (used: readonly number[], taken = 0) => ({ now: 20_000, taken, used });

it('shows where each request stands in the window that it is told of', () => {
  const shown = [0, 1, 2].map((earlier) => decide({ ...asked, before: at([4, 0]), earlier }).standing);
  expect(shown.map(({ limit, remaining }) => [limit, remaining])).toEqual([
    [3, 2],
    [3, 1],
    [3, 0],
  ]);
  expect(decide({ ...asked, before: at([4, 0]), earlier: 0, shown: 0 }).standing.remaining).toBe(5);
});

it('names the first window that is full', () => {
  const refused = decide({ ...asked, before: at([4, 3]), earlier: 0 });
  expect([refused.refusedBy, refused.policy.name, refused.standing.remaining]).toEqual(['rate', 'group', 0]);
  expect(decide({ ...asked, before: at([10, 3]), earlier: 0 }).policy.name).toBe('default');
});

it('tells who may not have more at once where they stand, as if they had not asked', () => {
  const refused = decide({ ...asked, before: at([4, 0], 5), earlier: 2, most: 7 });
  expect([refused.refusedBy, refused.policy.name]).toEqual(['concurrency', 'default']);
  // Two of those that asked together were counted.
  expect(refused.standing).toMatchObject({ isAllowed: true, limit: 10, remaining: 4 });
});

it('reckons the end of a window by the time of the store', () => {
  expect(standingAt(general.policy, 4, 20_500)).toEqual({
    isAllowed: true,
    limit: 10,
    remaining: 6,
    resetAt: 60,
    retryAfterSeconds: 40,
  });
  expect(standingAt(general.policy, 11, 59_999)).toMatchObject({
    isAllowed: false,
    remaining: 0,
    retryAfterSeconds: 1,
  });
});
