import { expect, it } from 'vitest';
import type { JobProgress } from '../define-job.ts';
import { progressMeter } from './progress-meter.ts';

function meterAt(clock: { now: number }) {
  const reports: JobProgress[] = [];
  return {
    reports,
    meter: progressMeter(
      (progress) => void reports.push(progress),
      () => clock.now,
    ),
  };
}

it('reports the rate since the first count, and the time left', async () => {
  const clock = { now: 0 };
  const { reports, meter } = meterAt(clock);
  meter.note(600, 1000);
  clock.now = 2_000;
  meter.note(700, 1000);
  await meter.settled();
  expect(reports).toEqual([
    { done: 600, total: 1000, rate: null, eta: null },
    { done: 700, total: 1000, rate: 50, eta: 6 },
  ]);
});

it('reports at most twice a second, and the newest count in the end', async () => {
  const clock = { now: 0 };
  const { reports, meter } = meterAt(clock);
  for (let done = 1; done <= 100; done++) {
    clock.now = done * 10;
    meter.note(done, 100);
    await Promise.resolve();
  }
  await meter.settled();
  expect(reports.map(({ done }) => done)).toEqual([1, 51, 100]);
});

it('sends one report at a time, and skips a failed one', async () => {
  let under = 0;
  const reported: number[] = [];
  const clock = { now: 0 };
  const meter = progressMeter(
    async ({ done }) => {
      expect(++under).toBe(1);
      await Promise.resolve();
      under--;
      reported.push(done);
      if (done === 1) throw new Error('away');
    },
    () => clock.now,
  );
  for (const done of [1, 2, 3]) {
    clock.now += 1_000;
    meter.note(done, 3);
  }
  await meter.settled();
  expect(reported).toEqual([1, 3]);
});
