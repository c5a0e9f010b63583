import type { Cause } from './cause.ts';

/** The life sign of one loop. */
export interface Heart {
  /** The loop has made a turn, be it an idle one or one that failed and will be tried again. */
  beat(): void;
  /** The loop has ended in order. */
  stop(): void;
}

/** Knows the loops of a process and notices when one makes no turn any more. */
export interface Watchdog {
  /** Expects a beat within `limitMs` from now, and again within as much after each. */
  watch(loop: string, limitMs: number): Heart;
  /** The loops that are overdue, with the time of their last turn. */
  overdue(): Cause[];
}

/** @param now a clock in milliseconds that is never set */
export function createWatchdog(now: () => number = () => performance.now()): Watchdog {
  const watched = new Set<{ readonly loop: string; readonly limitMs: number; beatAt: number }>();
  return {
    watch(loop, limitMs) {
      const entry = { loop, limitMs, beatAt: now() };
      watched.add(entry);
      return {
        beat() {
          entry.beatAt = now();
        },
        stop() {
          watched.delete(entry);
        },
      };
    },
    overdue() {
      const at = now();
      return [...watched].flatMap(({ loop, limitMs, beatAt }) => {
        const silentMs = at - beatAt;
        if (silentMs <= limitMs) return [];
        return [
          {
            what: loop,
            since: new Date(Date.now() - silentMs).toISOString(),
            detail: `no turn for ${Math.round(silentMs / 1000)} s, ${limitMs / 1000} s is the limit`,
          },
        ];
      });
    },
  };
}
