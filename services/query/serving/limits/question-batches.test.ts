import { expect, it, vi } from 'vitest';
import type { LimitStore } from './limit-store.ts';
import { ratePolicy } from './policy.ts';
import { type Before, questionBatches } from './question-batches.ts';

const MINUTE = 60_000;
const policy = ratePolicy('default', 5, MINUTE);
const LEASE_MS = 20_000;

/** A store whose answers the test gives. */
function controlled() {
  const calls: { keys: readonly string[]; values: readonly (string | number)[]; end: Ended }[] = [];
  type Ended = PromiseWithResolvers<number[]>;
  const store = {
    count(keys: readonly string[], values: readonly (string | number)[]) {
      const end: Ended = Promise.withResolvers();
      calls.push({ keys, values, end });
      return end.promise;
    },
  } as LimitStore;
  const answered: [string, Before, number][] = [];
  const failed: string[] = [];
  const batches = questionBatches(store, 'this');
  const ask = (name: string, taken: number | null = null) =>
    batches.ask(
      name,
      () => ({
        places: taken === null ? null : { key: `places ${name}`, most: 3, own: () => taken },
        windows: [{ key: `window ${name}`, policy }],
      }),
      {
        answered: (before, earlier) => answered.push([name, before, earlier]),
        failed: () => failed.push(name),
      },
    );
  return { calls, batches, ask, answered, failed };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

it('asks once for all requests of one turn, and once for all that are alike', async () => {
  const { calls, ask, answered } = controlled();
  for (const name of ['a', 'b', 'a', 'a']) ask(name, 2);
  expect(calls).toEqual([]);
  await turn();
  expect(calls.map(({ keys, values }) => [keys, values])).toEqual([
    [
      ['places a', 'window a', 'places b', 'window b'],
      ['this', LEASE_MS, 3, 2, 3, 1, 5, MINUTE, 1, 2, 3, 1, 5, MINUTE],
    ],
  ]);
  calls[0]?.end.resolve([1_000, 2, 4, 0, 1]);
  await turn();
  const ofA = { now: 1_000, taken: 2, used: [4] };
  expect(answered).toEqual([
    ['a', ofA, 0],
    ['a', ofA, 1],
    ['a', ofA, 2],
    ['b', { now: 1_000, taken: 0, used: [1] }, 0],
  ]);
});

it('asks for those that come meanwhile when it is answered, and not before', async () => {
  const { calls, ask, answered } = controlled();
  ask('a');
  await turn();
  for (const name of ['b', 'c', 'b']) ask(name);
  await turn();
  expect(calls).toHaveLength(1);
  calls[0]?.end.resolve([1_000, 0]);
  await vi.waitUntil(() => calls.length === 2);
  expect(calls[1]?.values).toEqual(['this', LEASE_MS, 2, 0, -1, 1, 5, MINUTE, 1, 0, -1, 1, 5, MINUTE]);
  calls[1]?.end.resolve([1_001, 0, 0]);
  await turn();
  expect(answered.map(([name, , earlier]) => [name, earlier])).toEqual([
    ['a', 0],
    ['b', 0],
    ['b', 1],
    ['c', 0],
  ]);
});

it('tells everybody of a question that was not answered, and goes on', async () => {
  const { calls, ask, failed, batches, answered } = controlled();
  for (const name of ['a', 'a', 'b']) ask(name);
  const looking = batches.look({ places: null, windows: [{ key: 'window c', policy }] });
  await turn();
  calls[0]?.end.reject(new Error('away'));
  await expect(looking).rejects.toThrow('away');
  expect(failed).toEqual(['a', 'a', 'b']);
  ask('d');
  await vi.waitUntil(() => calls.length === 2);
  calls[1]?.end.resolve([1_000, 0]);
  await turn();
  expect(answered.map(([name]) => name)).toEqual(['d']);
});

it('looks without counting', async () => {
  const { calls, batches } = controlled();
  const places = { key: 'places a', most: 3, own: () => 1 };
  const looking = batches.look({ places, windows: [{ key: 'window a', policy }] });
  await turn();
  expect(calls[0]?.values).toEqual(['this', LEASE_MS, 0, 1, 3, 1, 5, MINUTE]);
  calls[0]?.end.resolve([1_000, 2, 4]);
  expect(await looking).toEqual({ now: 1_000, taken: 2, used: [4] });
});

it('tells of places that are given back with the next question, or soon without one', async () => {
  const { calls, batches, ask } = controlled();
  let own = 4;
  const places = { key: 'places a', most: 9, own: () => own };
  batches.tell(places);
  own = 3;
  ask('b');
  await turn();
  expect(calls.map(({ keys, values }) => [keys, values])).toEqual([
    [
      ['places a', 'window b'],
      ['this', LEASE_MS, 0, 3, 9, 0, 1, 0, -1, 1, 5, MINUTE],
    ],
  ]);
  calls[0]?.end.resolve([1_000, 3, 0]);
  await turn();
  batches.tell(places);
  batches.tell(places);
  await vi.waitUntil(() => calls.length === 2);
  expect(calls[1]?.values).toEqual(['this', LEASE_MS, 0, 3, 9, 0]);
  calls[1]?.end.resolve([1_000, 3]);
});
