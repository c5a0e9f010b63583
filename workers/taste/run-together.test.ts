import { expect, it } from 'vitest';
import { pause } from '../until-it-works.ts';
import { runTogether } from './run-together.ts';

const LATER = () => performance.now() + 60_000;
const never = new AbortController().signal;

it('ends when none has anything to do', async () => {
  const looks = [0, 0];
  const idle = (index: number) => async () => {
    looks[index] = (looks[index] ?? 0) + 1;
    return false;
  };
  await runTogether([idle(0), idle(1)], { endAt: LATER(), signal: never });
  expect(looks).toEqual([1, 1]);
  await runTogether([], { endAt: LATER(), signal: never });
});

it('looks again for work of one kind while there is some of another', async () => {
  const done: string[] = [];
  let found = 0;
  // Has work until the other has done three pieces, each of which is there only after a look in vain.
  const long = async () => {
    await pause(1, never);
    return done.length < 3;
  };
  const now = async () => {
    if (++found % 2 === 1 || done.length === 3) return false;
    done.push(`piece ${found}`);
    return true;
  };
  await runTogether([now, long], { endAt: LATER(), signal: never, lookMs: 1 });
  expect(done).toEqual(['piece 2', 'piece 4', 'piece 6']);
});

it('begins no step after its time', async () => {
  let steps = 0;
  const endAt = performance.now() + 20;
  await runTogether(
    [
      async () => {
        steps++;
        while (performance.now() < endAt) await pause(1, never);
        return true;
      },
    ],
    { endAt, signal: never },
  );
  expect(steps).toBe(1);
});

it('ends all when one fails, but none in the middle of a step', async () => {
  const failed = Promise.withResolvers<void>();
  let isWhole = false;
  const failing = async () => {
    failed.resolve();
    throw new Error('broken');
  };
  const other = async () => {
    await failed.promise;
    await pause(5, never);
    isWhole = true;
    return true;
  };
  await expect(runTogether([failing, other], { endAt: LATER(), signal: never })).rejects.toThrow('broken');
  expect(isWhole).toBe(true);
});

it('does not wait to look again when it is told to end', async () => {
  const ending = new AbortController();
  const idle = async () => false;
  const busy = async () => {
    ending.abort(new Error('told to end'));
    return true;
  };
  await expect(
    runTogether([idle, busy], { endAt: LATER(), signal: ending.signal, lookMs: 3_600_000 }),
  ).rejects.toThrow('told to end');
});
