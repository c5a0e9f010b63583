import type { Cause } from './cause.ts';

/** The liveness of one loop. */
export interface LoopLiveness {
  /** The loop made an iteration, even an idle one or one that failed and will be retried. */
  heartbeat(): void;
  /** The loop has ended in order. */
  stop(): void;
}

/** Notices when a loop of the process hangs. */
export interface Watchdog {
  /**
   * Expects a heartbeat within `limitMs` from now, and within the same time after each.
   *
   * @param limitMs well above an iteration that waits for a dependency and retries, so that only a hanging one is overdue
   */
  watch(loop: string, limitMs: number): LoopLiveness;
  /** The overdue loops, each with the time of its last heartbeat. */
  overdue(): Cause[];
}

/** @param now a monotonic clock in milliseconds */
export function createWatchdog(now: () => number = () => performance.now()): Watchdog {
  const watched = new Set<{ readonly loop: string; readonly limitMs: number; seenAt: number }>();
  return {
    watch(loop, limitMs) {
      const entry = { loop, limitMs, seenAt: now() };
      watched.add(entry);
      return {
        heartbeat() {
          entry.seenAt = now();
        },
        stop() {
          watched.delete(entry);
        },
      };
    },
    overdue() {
      const at = now();
      return [...watched].flatMap(({ loop, limitMs, seenAt }) => {
        const silentMs = at - seenAt;
        if (silentMs <= limitMs) return [];
        return [
          {
            what: loop,
            since: new Date(Date.now() - silentMs).toISOString(),
            detail: `no heartbeat for ${Math.round(silentMs / 1000)} s, the limit is ${limitMs / 1000} s`,
          },
        ];
      });
    },
  };
}

/** The watchdog of this process. */
export const processWatchdog = createWatchdog();
