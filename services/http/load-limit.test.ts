import { describe, expect, it, onTestFinished } from 'vitest';
import { adaptiveLimit, meanDelayBetween, watchDelay } from './load-limit.ts';

const BEARABLE = 100;
const limitOf = (most: number) => adaptiveLimit({ most, bearableDelayMs: BEARABLE });

it('accepts requests up to the limit', () => {
  const { admits, current } = limitOf(40);
  expect([admits(0), admits(39), admits(40)]).toEqual([true, true, false]);
  expect(current()).toBe(40);
});

it('falls below the number of requests while the event loop is late, down to a floor', () => {
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

it('rises again to the maximum when the event loop is on time', () => {
  const limit = limitOf(1_000);
  limit.admits(99);
  limit.adjust(BEARABLE + 1);
  expect(limit.current()).toBe(70);
  limit.adjust(BEARABLE);
  expect(limit.current()).toBe(77);
  for (let times = 0; times < 100; times++) limit.adjust(0);
  expect(limit.current()).toBe(1_000);
});

it('never exceeds a low maximum', () => {
  const limit = limitOf(2);
  for (const delay of [BEARABLE + 1, 0, 0]) limit.adjust(delay);
  expect(limit.current()).toBe(2);
  expect([limit.admits(1), limit.admits(2)]).toEqual([true, false]);
});

describe('the delay of the event loop', () => {
  it('is the mean of the turns since the last sample, beyond the resolution', () => {
    const before = { count: 10, sumMs: 100, at: 1_000 };
    expect(meanDelayBetween(before, { count: 14, sumMs: 140, at: 1_040 })).toBe(0);
    expect(meanDelayBetween(before, { count: 14, sumMs: 260, at: 1_160 })).toBe(30);
  });

  it('is the whole time if the loop did not turn', () => {
    const before = { count: 10, sumMs: 100, at: 1_000 };
    expect(meanDelayBetween(before, { ...before, at: 1_120 })).toBe(110);
  });

  it('is measured in this process', async () => {
    const { meanDelayMs, stop } = watchDelay();
    onTestFinished(stop);
    const blocked = new Int32Array(new SharedArrayBuffer(4));
    await expect
      .poll(() => {
        Atomics.wait(blocked, 0, 0, 50);
        return meanDelayMs();
      })
      .toBeGreaterThan(0);
  });
});
