import { monitorEventLoopDelay } from 'node:perf_hooks';

/** The limit of in-flight requests, which is lower while the process is overloaded. */
export interface LoadLimit {
  /** Whether one more request may begin besides those in flight. */
  admits(inFlight: number): boolean;
  current(): number;
  /** The recent event-loop delay in milliseconds. */
  delayMs(): number;
  stop(): void;
}

export interface LoadLimitSettings {
  /** In-flight requests. */
  readonly most: number;
  /** A higher mean delay of the event loop, in milliseconds, is overload. */
  readonly bearableDelayMs: number;
}

export const DEFAULT_LOAD_LIMIT: LoadLimitSettings = { most: 1_000, bearableDelayMs: 200 };

/** The limit never falls below this, so that a process slowed down by something else still responds. */
const LEAST = 32;
/** In tenths of the limit, whole numbers both. */
const SHRINK = 3;
const GROWTH = 1;

type AdaptiveLimit = Pick<LoadLimit, 'admits' | 'current'> & {
  /** Adjusts the limit to the mean event-loop delay since the last call. */
  adjust(delayMs: number): void;
};

/**
 * A limit that falls below the highest number of in-flight requests, and further, while the event-loop delay is too long;
 * then it rises again.
 */
export function adaptiveLimit({ most, bearableDelayMs }: LoadLimitSettings): AdaptiveLimit {
  const least = Math.min(LEAST, most);
  let limit = most;
  let peak = 0;
  return {
    admits(inFlight) {
      if (inFlight >= limit) return false;
      if (inFlight >= peak) peak = inFlight + 1;
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

/** Accepts all requests. */
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

/** The turns of the event loop since a watch began. */
interface LoopTurns {
  readonly count: number;
  /** How long all of them took. */
  readonly sumMs: number;
  /** The time of the sample, by a clock that is never set. */
  readonly at: number;
}

/** The mean delay of the turns between two samples, in milliseconds. */
export function meanDelayBetween(before: LoopTurns, now: LoopTurns): number {
  const turns = now.count - before.count;
  // Without any turn, the loop was blocked all the time.
  const meanMs = turns > 0 ? (now.sumMs - before.sumMs) / turns : now.at - before.at;
  return Math.max(0, meanMs - RESOLUTION_MS);
}

/** Measures the mean delay of the event loop since the last call, in milliseconds. */
export function watchDelay(): { meanDelayMs(): number; stop(): void } {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  // Never reset: a reset histogram forgets when the last turn was.
  const sample = (): LoopTurns => {
    const { count } = histogram;
    return { count, sumMs: count > 0 ? (histogram.mean * count) / 1e6 : 0, at: performance.now() };
  };
  let last = sample();
  return {
    meanDelayMs() {
      const before = last;
      last = sample();
      return meanDelayBetween(before, last);
    },
    stop: () => histogram.disable(),
  };
}
