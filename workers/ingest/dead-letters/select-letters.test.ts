import { describe, expect, it } from 'vitest';
import { pauseMs } from './replay-letters.ts';
import { portionsOf } from './select-letters.ts';

const portions = (groups: readonly (string | null)[], size: number): number[][] => [
  ...portionsOf(
    groups.map((group, id) => ({ id, group })),
    size,
  ),
];

describe('portionsOf', () => {
  it('keeps the letters of a key together where they fit', () => {
    expect(portions(['a', 'a', 'b', 'b', 'b', 'c'], 4)).toEqual([
      [0, 1],
      [2, 3, 4, 5],
    ]);
  });

  it('cuts through a key of too many', () => {
    expect(portions(['a', 'a', 'a', 'a', 'a', 'b'], 2)).toEqual([
      [0, 1],
      [2, 3],
      [4, 5],
    ]);
  });

  it('cuts anywhere between letters whose key is not known', () => {
    expect(portions(['a', null, null, null, null], 2)).toEqual([[0, 1], [2, 3], [4]]);
  });

  it('makes nothing of nothing', () => {
    expect(portions([], 2)).toEqual([]);
  });
});

describe('pauseMs', () => {
  it('is what is left of the time that the rate gives', () => {
    expect(pauseMs(250, 100, 500)).toBe(400);
    expect(pauseMs(250, 500, 500)).toBe(0);
    expect(pauseMs(250, 900, 500)).toBe(0);
  });
});
