import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { runConcurrently } from './run-concurrently.ts';

const LATER = () => performance.now() + 60_000;
const never = new AbortController().signal;

it('ends when no step has work', async () => {
  const polls = [0, 0];
  const idle = (index: number) => async () => {
    polls[index] = (polls[index] ?? 0) + 1;
    return false;
  };
  await runConcurrently([idle(0), idle(1)], { endAt: LATER(), signal: never });
  expect(polls).toEqual([1, 1]);
  await runConcurrently([], { endAt: LATER(), signal: never });
});

it('polls a step again while another has work', async () => {
  const done: string[] = [];
  let found = 0;
  // Has work until the other step has done three units, each found only by a second poll.
  const long = async () => {
    await nextTurn();
    return done.length < 3;
  };
  const now = async () => {
    if (++found % 2 === 1 || done.length === 3) return false;
    done.push(`unit ${found}`);
    return true;
  };
  await runConcurrently([now, long], { endAt: LATER(), signal: never, pollMs: 1 });
  expect(done).toEqual(['unit 2', 'unit 4', 'unit 6']);
});

it('starts no step after endAt', async () => {
  let steps = 0;
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const endAt = performance.now() + 20;
  await runConcurrently(
    [
      async () => {
        steps++;
        vi.advanceTimersByTime(20);
        return true;
      },
    ],
    { endAt, signal: never },
  );
  expect(steps).toBe(1);
});

it('stops all steps when one fails, but interrupts none', async () => {
  const failed = Promise.withResolvers<void>();
  let isWhole = false;
  const failing = async () => {
    failed.resolve();
    throw new Error('broken');
  };
  const other = async () => {
    await failed.promise;
    // The failure is noticed before this step ends.
    await nextTurn();
    isWhole = true;
    return true;
  };
  await expect(runConcurrently([failing, other], { endAt: LATER(), signal: never })).rejects.toThrow(
    'broken',
  );
  expect(isWhole).toBe(true);
});

it('does not wait for the next poll when aborted', async () => {
  const ending = new AbortController();
  const idle = async () => false;
  const busy = async () => {
    ending.abort(new Error('aborted'));
    return true;
  };
  await expect(
    runConcurrently([idle, busy], { endAt: LATER(), signal: ending.signal, pollMs: 3_600_000 }),
  ).rejects.toThrow('aborted');
});
