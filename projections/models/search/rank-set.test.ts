import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeRanks, encodeRanks } from './posting-codec.ts';
import {
  everything,
  filterSet,
  firstRanks,
  has,
  intersect,
  type RankSet,
  setOf,
  sizeOf,
  subtract,
  unite,
  walk,
} from './rank-set.ts';

const SIZE = 300;

const members = (set: RankSet): number[] => {
  const ranks: number[] = [];
  const next = walk(set);
  for (let rank = next(); rank >= 0; rank = next()) ranks.push(rank);
  return ranks;
};

/** Sets of every density, as lists and as bits. */
const ranks = fc
  .oneof(
    fc.uniqueArray(fc.nat(SIZE - 1), { maxLength: 8 }),
    fc.uniqueArray(fc.nat(SIZE - 1), { minLength: 60, maxLength: SIZE }),
    fc.constant([]),
    fc.constant([...Array(SIZE).keys()]),
  )
  .map((list) => list.toSorted((a, b) => a - b));

const setFrom = (list: readonly number[]): RankSet => setOf(Uint32Array.from(list), SIZE);

describe('a set of ranks', () => {
  it('contains its input, in order', () => {
    fc.assert(
      fc.property(ranks, fc.nat(SIZE - 1), fc.nat(SIZE), (list, rank, most) => {
        const set = setFrom(list);
        expect(members(set)).toEqual(list);
        expect(sizeOf(set)).toBe(list.length);
        expect(has(set, rank)).toBe(list.includes(rank));
        expect([...firstRanks(set, most)]).toEqual(list.slice(0, most));
        const even = filterSet(set, SIZE, (each) => each % 2 === 0);
        expect(members(even)).toEqual(list.filter((each) => each % 2 === 0));
        expect(members(set)).toEqual(list);
      }),
    );
  });

  it('is intersected and united like a set', () => {
    fc.assert(
      fc.property(fc.array(ranks, { minLength: 1, maxLength: 4 }), (lists) => {
        const sets = lists.map(setFrom);
        const all = [...Array(SIZE).keys()];
        const both = intersect(sets, SIZE);
        const any = unite(sets, SIZE);
        expect(members(both)).toEqual(all.filter((rank) => lists.every((list) => list.includes(rank))));
        expect(members(any)).toEqual(all.filter((rank) => lists.some((list) => list.includes(rank))));
        expect([sizeOf(both), sizeOf(any)]).toEqual([members(both).length, members(any).length]);
        const [first = [], second = []] = lists;
        const less = subtract(setFrom(first), setFrom(second), SIZE);
        expect(members(less)).toEqual(first.filter((rank) => !second.includes(rank)));
        expect(sizeOf(less)).toBe(members(less).length);
        expect(sets.map(members)).toEqual(lists);
      }),
    );
  });

  it('is every rank if there are no sets to intersect', () => {
    for (const size of [0, 1, 31, 32, 33, 64]) {
      expect(members(everything(size))).toEqual([...Array(size).keys()]);
      expect(members(intersect([], size))).toEqual([...Array(size).keys()]);
    }
  });
});

describe('stored ranks', () => {
  it('are read as written', () => {
    fc.assert(
      fc.property(ranks, (list) => {
        const bytes = encodeRanks(Uint32Array.from(list), SIZE);
        expect(members(decodeRanks(bytes, SIZE))).toEqual(list);
        expect(bytes.length).toBeLessThanOrEqual(Math.max(1 + 4 * Math.ceil(SIZE / 32), 1 + 2 * list.length));
      }),
    );
  });

  it('may be far apart', () => {
    const far = [0, 127, 128, 129, 20_000, 2_499_999, 200_000_000];
    const bytes = encodeRanks(Uint32Array.from(far), 250_000_000);
    expect(bytes.length).toBe(1 + 1 + 1 + 1 + 1 + 3 + 4 + 4);
    expect(members(decodeRanks(bytes, 250_000_000))).toEqual(far);
  });
});
