import { setTimeout as pause } from 'node:timers/promises';
import type { Holdings } from './metrics.ts';

const EVERY_MS = 2_000;
const REPORT_EVERY_MS = 60_000;

/** What a process held, and when, in milliseconds since 1970. */
export interface TimedHoldings extends Holdings {
  readonly at: number;
}

export interface Following {
  /** Resolves with everything that was seen. */
  stop(): Promise<readonly TimedHoldings[]>;
}

/** Takes a sample every two seconds, and prints one every minute. */
export function sampleOften(look: () => Promise<Holdings>): Following {
  const samples: TimedHoldings[] = [];
  const ending = new AbortController();
  const follow = async (): Promise<void> => {
    let reportedAt = 0;
    while (!ending.signal.aborted) {
      const sample = { ...(await look()), at: Date.now() };
      samples.push(sample);
      if (sample.at - reportedAt >= REPORT_EVERY_MS) {
        process.stderr.write(`${lineOf(sample)}\n`);
        reportedAt = sample.at;
      }
      await pause(EVERY_MS, undefined, { signal: ending.signal }).catch(() => {});
    }
  };
  const following = follow();
  return {
    async stop() {
      ending.abort();
      await following;
      const last = samples.at(-1);
      if (last !== undefined) process.stderr.write(`${lineOf(last)}\n`);
      return samples;
    },
  };
}

/** One line of what a process holds. */
export function lineOf({ memory, heap, resources, pool }: Holdings): string {
  const kinds = Object.entries(resources)
    .map(([kind, count]) => `${kind} ${count}`)
    .join(', ');
  return `  memory ${memory.toFixed(0)} MiB, heap ${heap.toFixed(0)} MiB; pool ${pool.busy} busy, ${pool.idle} idle, ${pool.waiting} waiting; ${kinds}`;
}
