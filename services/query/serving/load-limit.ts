import { monitorEventLoopDelay } from 'node:perf_hooks';

/** How many requests may be under way at once, less while the process cannot keep up. */
export interface LoadLimit {
  /** Whether one more may begin beside so many. */
  admits(underWay: number): boolean;
  current(): number;
  /** How late the event loop was of late, in milliseconds. */
  delayMs(): number;
  stop(): void;
}

export interface LoadLimitSettings {
  /** Requests under way at once, at most. */
  readonly most: number;
  /** Milliseconds by which the event loop may be late on average; more of it is too much load. */
  readonly bearableDelayMs: number;
}

export const DEFAULT_LOAD_LIMIT: LoadLimitSettings = { most: 1_000, bearableDelayMs: 200 };

/** So few are always let in, or a process that is held up by something else would answer nobody. */
const LEAST = 32;
/** In tenths of the limit, whole numbers both. */
const SHRINK = 3;
const GROWTH = 1;

type AdaptiveLimit = Pick<LoadLimit, 'admits' | 'current'> & {
  /** Takes in how late the event loop was since the last time. */
  adjust(delayMs: number): void;
};

/**
 * A limit that falls below the number of requests there were, and further, as long as the event loop is too late, and rises
 * again when it is not.
 */
export function adaptiveLimit({ most, bearableDelayMs }: LoadLimitSettings): AdaptiveLimit {
  const least = Math.min(LEAST, most);
  let limit = most;
  let peak = 0;
  return {
    admits(underWay) {
      if (underWay >= limit) return false;
      if (underWay >= peak) peak = underWay + 1;
      return true;
    },
    current: () => limit,
    adjust(delayMs) {
      const reached = Math.min(limit, peak);
      limit =
        delayMs > bearableDelayMs
          ? Math.max(least, reached - Math.ceil((reached * SHRINK) / 10))
          : Math.min(most, limit + Math.ceil((limit * GROWTH) / 10));
      peak = 0;
    },
  };
}

/** Lets everything in. */
export const anyLoad: LoadLimit = {
  admits: () => true,
  current: () => Number.POSITIVE_INFINITY,
  delayMs: () => 0,
  stop: () => {},
};

const EVERY_MS = 500;
const RESOLUTION_MS = 10;

/** An adaptive limit that watches the event loop of this process. */
export function watchLoad(settings: LoadLimitSettings): LoadLimit {
  const limit = adaptiveLimit(settings);
  const { meanDelayMs, stop } = watchDelay();
  let delayMs = 0;
  const timer = setInterval(() => {
    delayMs = meanDelayMs();
    limit.adjust(delayMs);
  }, EVERY_MS);
  timer.unref();
  return {
    admits: limit.admits,
    current: limit.current,
    delayMs: () => delayMs,
    stop() {
      clearInterval(timer);
      stop();
    },
  };
}

/** Tells by how much the turns of the event loop were late on average, in milliseconds, since it was asked last. */
export function watchDelay(): { meanDelayMs(): number; stop(): void } {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  let seen = { count: 0, sumMs: 0, at: performance.now() };
  return {
    meanDelayMs() {
      const { count } = histogram;
      const now = { count, sumMs: count > 0 ? (histogram.mean * count) / 1e6 : 0, at: performance.now() };
      const before = seen;
      seen = now;
      // Never reset, for it would forget when its last turn was. Without any turn, the loop was held all the time.
      const turns = now.count - before.count;
      const meanMs = turns > 0 ? (now.sumMs - before.sumMs) / turns : now.at - before.at;
      return Math.max(0, meanMs - RESOLUTION_MS);
    },
    stop: () => histogram.disable(),
  };
}
