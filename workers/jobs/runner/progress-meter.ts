import type { JobProgress } from '../define-job.ts';

const INTERVAL_MS = 500;

export interface ProgressMeter {
  note(done: number, total: number): void;
  /** Resolves when the newest count was reported. */
  settled(): Promise<void>;
}

/**
 * Reports progress with its rate and the time left, in order, at most twice a second; the newest count is always
 * reported in the end. The rate counts from the first note, because a run may continue an earlier one. A failed report is
 * dropped.
 */
export function progressMeter(
  report: (progress: JobProgress) => unknown,
  now: () => number = () => performance.now(),
): ProgressMeter {
  let first: { at: number; done: number } | null = null;
  let latest: JobProgress | null = null;
  let reportedAt = Number.NEGATIVE_INFINITY;
  let reporting: Promise<unknown> | null = null;

  function send(): void {
    if (latest === null || reporting !== null) return;
    const progress = latest;
    latest = null;
    reportedAt = now();
    reporting = Promise.try(() => report(progress))
      .catch(() => {})
      .finally(() => {
        reporting = null;
      });
  }

  return {
    note(done, total) {
      const at = now();
      first ??= { at, done };
      const seconds = (at - first.at) / 1000;
      const rate = seconds > 0 && done > first.done ? (done - first.done) / seconds : null;
      const eta = rate === null ? null : Math.ceil(Math.max(0, total - done) / rate);
      latest = { done, total, rate: rate === null ? null : Math.round(rate * 10) / 10, eta };
      if (at - reportedAt >= INTERVAL_MS) send();
    },
    async settled() {
      while (reporting !== null || latest !== null) {
        send();
        await reporting;
      }
    },
  };
}
