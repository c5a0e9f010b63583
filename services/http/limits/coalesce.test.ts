import { expect, it } from 'vitest';
import { coalesce } from './coalesce.ts';

/** Rounds whose decisions the test gives. */
function controlled() {
  const rounds: { subject: string; requests: number; end: PromiseWithResolvers<string[]> }[] = [];
  const decide = coalesce<string, string>((subject, requests) => {
    const end = Promise.withResolvers<string[]>();
    rounds.push({ subject, requests, end });
    return end.promise;
  });
  return { rounds, decide: (name: string) => decide(name, name) };
}

const tick = () => new Promise((resolve) => setImmediate(resolve));
const sizes = (rounds: readonly { subject: string; requests: number }[]) =>
  rounds.map(({ subject, requests }) => [subject, requests]);

it('decides the requests of one tick in one round for each name, in their order', async () => {
  const { rounds, decide } = controlled();
  const decided = ['a', 'b', 'a', 'a'].map(decide);
  expect(rounds).toEqual([]);
  await tick();
  expect(sizes(rounds)).toEqual([
    ['a', 3],
    ['b', 1],
  ]);
  rounds[0]?.end.resolve(['a1', 'a2', 'a3']);
  rounds[1]?.end.resolve(['b1']);
  expect(await Promise.all(decided)).toEqual(['a1', 'b1', 'a2', 'a3']);
});

it('gathers requests while a round is in flight, and decides them in the next', async () => {
  const { rounds, decide } = controlled();
  const first = decide('a');
  await tick();
  const next = [decide('a'), decide('a')];
  await tick();
  expect(sizes(rounds)).toEqual([['a', 1]]);
  rounds[0]?.end.resolve(['first']);
  expect(await first).toBe('first');
  await tick();
  expect(sizes(rounds)).toEqual([
    ['a', 1],
    ['a', 2],
  ]);
  rounds[1]?.end.resolve(['second', 'third']);
  expect(await Promise.all(next)).toEqual(['second', 'third']);
});

it('rejects all requests of a failed round, and goes on', async () => {
  const { rounds, decide } = controlled();
  const failed = [decide('a'), decide('a')];
  await tick();
  rounds[0]?.end.reject(new Error('unavailable'));
  for (const { status } of await Promise.allSettled(failed)) expect(status).toBe('rejected');
  const later = decide('a');
  await tick();
  rounds[1]?.end.resolve(['later']);
  expect(await later).toBe('later');
});
