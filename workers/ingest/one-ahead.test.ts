import { describe, expect, it } from 'vitest';
import { oneAhead } from './one-ahead.ts';

async function* numbers(made: number[], failAt = Number.POSITIVE_INFINITY): AsyncGenerator<number> {
  for (let number = 0; number < 4; number++) {
    if (number === failAt) throw new Error('unreadable');
    made.push(number);
    yield number;
  }
}

describe('one ahead', () => {
  it('gives all items in order, each made before the one before it is done with', async () => {
    const made: number[] = [];
    const seen: [number, number][] = [];
    for await (const number of oneAhead(numbers(made))) {
      await new Promise((resolve) => setImmediate(resolve));
      seen.push([number, made.length]);
    }
    expect(seen).toEqual([
      [0, 2],
      [1, 3],
      [2, 4],
      [3, 4],
    ]);
  });

  it('fails when the failed item has its turn, after all before it', async () => {
    const seen: number[] = [];
    const reading = async () => {
      for await (const number of oneAhead(numbers([], 2))) {
        await new Promise((resolve) => setImmediate(resolve));
        seen.push(number);
      }
    };
    await expect(reading()).rejects.toThrow('unreadable');
    expect(seen).toEqual([0, 1]);
  });
});
