import { describe, expect, it } from 'vitest';
import { adaptiveLimit, watchDelay } from './load-limit.ts';

const BEARABLE = 100;
const limitOf = (most: number) => adaptiveLimit({ most, bearableDelayMs: BEARABLE });

it('lets in as many as there may be', () => {
  const { admits, current } = limitOf(40);
  expect([admits(0), admits(39), admits(40)]).toEqual([true, true, false]);
  expect(current()).toBe(40);
});

it('falls below what there was as long as the process is late, and no further than a few', () => {
  const limit = limitOf(1_000);
  limit.admits(199);
  limit.adjust(BEARABLE + 1);
  expect(limit.current()).toBe(140);
  limit.admits(139);
  limit.adjust(BEARABLE + 1);
  expect(limit.current()).toBe(98);
  expect([limit.admits(97), limit.admits(98)]).toEqual([true, false]);
  for (let times = 0; times < 10; times++) limit.adjust(10_000);
  expect(limit.current()).toBe(32);
});

it('rises again when the process is on time, as far as it may', () => {
  const limit = limitOf(1_000);
  limit.admits(99);
  limit.adjust(BEARABLE + 1);
  expect(limit.current()).toBe(70);
  limit.adjust(BEARABLE);
  expect(limit.current()).toBe(77);
  for (let times = 0; times < 100; times++) limit.adjust(0);
  expect(limit.current()).toBe(1_000);
});

it('never lets in more than there may be, however few', () => {
  const limit = limitOf(2);
  for (const delay of [BEARABLE + 1, 0, 0]) limit.adjust(delay);
  expect(limit.current()).toBe(2);
  expect([limit.admits(1), limit.admits(2)]).toEqual([true, false]);
});

describe('the delay of the event loop', () => {
  const HELD_MS = 120;

  function hold(ms: number): void {
    const until = performance.now() + ms;
    while (performance.now() < until);
  }

  it('is seen where the loop is held, however often it is asked for', async () => {
    const { meanDelayMs, stop } = watchDelay();
    try {
      for (let times = 0; times < 4; times++) {
        await nextTurns();
        meanDelayMs();
        hold(HELD_MS);
        await new Promise((resolve) => setTimeout(resolve, 0));
        // One turn was that long, the others are no shorter than they have to be.
        expect(await seenWithin(meanDelayMs)).toBeGreaterThan(HELD_MS / 2 - 20);
      }
    } finally {
      stop();
    }
  });

  /** The loop has turned a few times, so that it is known when the last turn was. */
  const nextTurns = () => new Promise((resolve) => setTimeout(resolve, 40));

  /** The greatest delay that is told of the next few turns. */
  async function seenWithin(read: () => number): Promise<number> {
    let most = 0;
    for (let times = 0; times < 3; times++) {
      most = Math.max(most, read());
      await new Promise((resolve) => setImmediate(resolve));
    }
    return most;
  }
});
