import { describe, expect, it } from 'vitest';
import { oneAhead } from './decode-snapshot.ts';

async function* numbers(made: number[], failAt = Number.POSITIVE_INFINITY): AsyncGenerator<number> {
  for (let number = 0; number < 4; number++) {
    if (number === failAt) throw new Error('unreadable');
    made.push(number);
    yield number;
  }
}

describe('one ahead', () => {
  it('yields all items in order, and prepares the next one in advance', async () => {
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

  it('fails at the failed item, after all earlier ones', async () => {
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
