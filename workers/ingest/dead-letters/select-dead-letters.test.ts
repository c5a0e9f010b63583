import { describe, expect, it } from 'vitest';
import { pauseMs } from './replay-dead-letters.ts';
import { replayBatches } from './select-dead-letters.ts';

const batches = (groups: readonly (string | null)[], size: number): number[][] => [
  ...replayBatches(
    groups.map((group, id) => ({ id, table: null, group })),
    size,
  ),
];

describe('replayBatches', () => {
  it('keeps the dead letters of a key together if they fit into one batch', () => {
    expect(batches(['a', 'a', 'b', 'b', 'b', 'c'], 4)).toEqual([
      [0, 1],
      [2, 3, 4, 5],
    ]);
  });

  it('splits a key with too many', () => {
    expect(batches(['a', 'a', 'a', 'a', 'a', 'b'], 2)).toEqual([
      [0, 1],
      [2, 3],
      [4, 5],
    ]);
  });

  it('splits anywhere between dead letters without a readable key', () => {
    expect(batches(['a', null, null, null, null], 2)).toEqual([[0, 1], [2, 3], [4]]);
  });

  it('returns no batch for no dead letter', () => {
    expect(batches([], 2)).toEqual([]);
  });
});

describe('pauseMs', () => {
  it('is the remaining time at the given rate', () => {
    expect(pauseMs(250, 100, 500)).toBe(400);
    expect(pauseMs(250, 500, 500)).toBe(0);
    expect(pauseMs(250, 900, 500)).toBe(0);
  });
});
