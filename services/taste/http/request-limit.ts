import { networkOf } from '../../http/client-network.ts';
import type { LimitStore } from '../../http/limits/limit-store.ts';
import { ratePolicy } from '../../http/limits/policy.ts';
import { memoryWindows, redisWindows, type WindowCount } from '../../http/limits/windows.ts';

const MINUTE_MS = 60_000;

export interface RequestLimit {
  /** Counts a request; resolves to the seconds to wait if it is rejected, else to null. */
  take(address: string): Promise<number | null>;
}

interface RequestLimitOptions {
  /** What is counted. */
  readonly name: string;
  readonly perMinute: number;
  /** Milliseconds, of which only differences matter. */
  readonly now: () => number;
  /** Where processes count together; null to count in this process. */
  readonly store: LimitStore | null;
  /** Length of the windows (default: a minute). */
  readonly windowMs?: number | undefined;
}

/** Counts the requests of each network in windows of a minute. */
export function requestLimit(options: RequestLimitOptions): RequestLimit {
  const { name, perMinute, now, store, windowMs = MINUTE_MS } = options;
  const startedAt = now();
  const steady = () => now() - startedAt;
  const local = memoryWindows({ steady, wall: steady });
  const windows = store === null ? local : redisWindows(store, local);
  const policy = ratePolicy(name, perMinute, windowMs);
  return {
    async take(address) {
      const subject = `${name}:${networkOf(address)}`;
      const [{ before, msLeft }] = (await windows.add([{ subject, policy }], 1)) as [WindowCount];
      return before >= perMinute ? Math.max(1, Math.ceil(msLeft / 1_000)) : null;
    },
  };
}
