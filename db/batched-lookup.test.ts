import { describe, expect, it } from 'vitest';
import { batchedLookup } from './batched-lookup.ts';

/** A fetch whose statements end when told to. */
function controlled() {
  const statements: { keys: readonly string[]; end: PromiseWithResolvers<ReadonlyMap<string, string>> }[] =
    [];
  const lookup = batchedLookup((keys) => {
    const end = Promise.withResolvers<ReadonlyMap<string, string>>();
    statements.push({ keys, end });
    return end.promise;
  });
  const answer = (index: number) =>
    statements[index]?.end.resolve(new Map(statements[index].keys.map((key) => [key, key.toUpperCase()])));
  return { statements, lookup, answer };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('batched lookups', () => {
  it('share one statement in one turn, each key once', async () => {
    const { statements, lookup, answer } = controlled();
    const found = Promise.all([lookup('a'), lookup('b'), lookup('a')]);
    await nextTurn();
    expect(statements.map(({ keys }) => keys)).toEqual([['a', 'b']]);
    answer(0);
    expect(await found).toEqual(['A', 'B', 'A']);
  });

  it('wait together while one is under way', async () => {
    const { statements, lookup, answer } = controlled();
    const first = lookup('a');
    await nextTurn();
    const second = Promise.all([lookup('b'), lookup('a')]);
    await nextTurn();
    const third = lookup('c');
    await nextTurn();
    expect(statements.map(({ keys }) => keys)).toEqual([['a']]);
    answer(0);
    expect(await first).toBe('A');
    await nextTurn();
    expect(statements[1]?.keys).toEqual(['b', 'a', 'c']);
    answer(1);
    expect([await second, await third]).toEqual([['B', 'A'], 'C']);
  });

  it('answer null for a key without a row, and fail for all of a statement that failed, but not for later ones', async () => {
    const { statements, lookup, answer } = controlled();
    const none = lookup('x');
    await nextTurn();
    statements[0]?.end.resolve(new Map());
    expect(await none).toBeNull();
    const failing = Promise.allSettled([lookup('a'), lookup('b')]);
    await nextTurn();
    statements[1]?.end.reject(new Error('gone'));
    expect((await failing).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const later = lookup('a');
    await nextTurn();
    answer(2);
    expect(await later).toBe('A');
  });
});
