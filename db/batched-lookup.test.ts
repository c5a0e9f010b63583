import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { batchedLookup } from './batched-lookup.ts';

/** A fetch whose statements end when the test ends them. */
function controlled() {
  const statements: { keys: readonly string[]; end: PromiseWithResolvers<ReadonlyMap<string, string>> }[] =
    [];
  const lookup = batchedLookup((keys) => {
    const end = Promise.withResolvers<ReadonlyMap<string, string>>();
    statements.push({ keys, end });
    return end.promise;
  });
  const respond = (index: number) =>
    statements[index]?.end.resolve(new Map(statements[index].keys.map((key) => [key, key.toUpperCase()])));
  return { statements, lookup, respond };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('batched lookups', () => {
  it('share one statement per tick, each key once', async () => {
    const { statements, lookup, respond } = controlled();
    const found = Promise.all([lookup('a'), lookup('b'), lookup('a')]);
    await nextTurn();
    expect(statements.map(({ keys }) => keys)).toEqual([['a', 'b']]);
    respond(0);
    expect(await found).toEqual(['A', 'B', 'A']);
  });

  it('wait together while a statement is in flight', async () => {
    const { statements, lookup, respond } = controlled();
    const first = lookup('a');
    await nextTurn();
    const second = Promise.all([lookup('b'), lookup('a')]);
    await nextTurn();
    const third = lookup('c');
    await nextTurn();
    expect(statements.map(({ keys }) => keys)).toEqual([['a']]);
    respond(0);
    expect(await first).toBe('A');
    await nextTurn();
    expect(statements[1]?.keys).toEqual(['b', 'a', 'c']);
    respond(1);
    expect([await second, await third]).toEqual([['B', 'A'], 'C']);
  });

  it('give null for a key without a row, and fail with their statement alone', async () => {
    const { statements, lookup, respond } = controlled();
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
    respond(2);
    expect(await later).toBe('A');
  });

  it('are split into statements of half the pending keys, at least 32, oldest first', async () => {
    const { statements, lookup, respond } = controlled();
    const first = lookup('first');
    await nextTurn();
    const waiting = [];
    for (let number = 0; number < 150; number++) {
      waiting.push(lookup(`k${number}`));
      await Promise.resolve();
    }
    for (const statement of [0, 1, 2, 3, 4]) {
      respond(statement);
      await nextTurn();
      await nextTurn();
    }
    await first;
    expect(await Promise.all(waiting)).toEqual(Array.from({ length: 150 }, (_, number) => `K${number}`));
    expect(statements.map(({ keys }) => [keys[0], keys.length])).toEqual([
      ['first', 1],
      ['k0', 75],
      ['k75', 38],
      ['k113', 32],
      ['k145', 5],
    ]);
  });

  it('fail if a statement cannot be sent', async () => {
    const lookup = batchedLookup<string>(() => {
      throw new Error('not sent');
    });
    await expect(lookup('a')).rejects.toThrow('not sent');
    await expect(lookup('a')).rejects.toThrow('not sent');
  });

  it('of one list are never split', async () => {
    const { statements, lookup, respond } = controlled();
    const first = lookup('first');
    await nextTurn();
    const alone = lookup('alone');
    await Promise.resolve();
    const many = Array.from({ length: 100 }, (_, number) => lookup(`k${number}`));
    await Promise.resolve();
    const last = lookup('last');
    for (const statement of [0, 1, 2]) {
      respond(statement);
      await nextTurn();
      await nextTurn();
    }
    expect(await Promise.all([first, alone, ...many, last])).toHaveLength(103);
    expect(statements.map(({ keys }) => keys.length)).toEqual([1, 101, 1]);
  });

  it('are freed while they are still in the young generation', async () => {
    setFlagsFromString('--expose-gc');
    const collect: (options: { type: 'minor' }) => void = runInNewContext('gc');
    const lookup = batchedLookup(
      async (keys) => new Map(keys.map((key) => [key, new Array(1_000).fill(key)])),
    );
    const askMany = async (): Promise<void> => {
      await Promise.all(Array.from({ length: 64 }, (_, number) => lookup(`${number}`)));
    };
    const askOften = async (times: number): Promise<void> => {
      for (let time = 0; time < times; time++) {
        await askMany();
        await nextTurn();
        collect({ type: 'minor' });
      }
    };
    const early = lookup('early');
    // An object that survives two collections is old.
    collect({ type: 'minor' });
    collect({ type: 'minor' });
    await early;
    const before = oldMebibytes();
    await askOften(200);
    expect(oldMebibytes() - before).toBeLessThan(1);
  });
});

function oldMebibytes(): number {
  const old = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space');
  if (old === undefined) throw new Error('V8 has no space of this name any more');
  return old.space_used_size / 2 ** 20;
}
