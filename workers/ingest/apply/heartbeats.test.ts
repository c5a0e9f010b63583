import { describe, expect, it } from 'vitest';
import { addHeartbeats, learnInterval } from './heartbeats.ts';

/** The times of heartbeats after these gaps. */
const timesAfter = (...gaps: number[]): number[] => {
  let timeMs = 1_000_000;
  return [timeMs, ...gaps.map((gap) => (timeMs += gap))];
};

const intervalOf = (...gaps: number[]) => learnInterval(addHeartbeats(null, timesAfter(...gaps)).gapsMs);

describe('the heartbeats of a connector', () => {
  it('are remembered by their gaps, in any order and batch, and repeats change nothing', () => {
    const times = timesAfter(10, 11, 12, 13);
    const known = { newestMs: times[4], gapsMs: [10, 11, 12, 13] };
    expect(addHeartbeats(null, times.toReversed())).toEqual(known);
    expect(
      times.reduce((before, one) => addHeartbeats(before, [one]), addHeartbeats(null, times.slice(0, 1))),
    ).toEqual(known);
    expect(addHeartbeats(addHeartbeats(null, times), times)).toEqual(known);
    expect(addHeartbeats(null, timesAfter(...Array(40).fill(10))).gapsMs).toHaveLength(12);
  });

  it('show their interval, whatever outages and restarts interrupted them', () => {
    expect(intervalOf()).toBeNull();
    expect(intervalOf(10)).toBeNull();
    expect(intervalOf(10, 10)).toBe(10);
    expect(intervalOf(10, 10, 3_600_000, 10, 10)).toBe(10);
    expect(intervalOf(10, 1, 10, 0.5, 10, 10)).toBe(10);
  });

  it('of several tasks show the longer gap', () => {
    expect(intervalOf(1, 9, 1, 9, 1, 9, 1, 9)).toBe(9);
  });

  it('show a new interval after some', () => {
    expect(intervalOf(...Array(12).fill(10), ...Array(12).fill(60))).toBe(60);
    expect(intervalOf(...Array(12).fill(60), ...Array(12).fill(10))).toBe(10);
  });
});
