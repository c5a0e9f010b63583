/** Where a subject stands in its window after a request. */
export interface RateStanding {
  readonly isAllowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** When the window ends, in seconds since 1970. */
  readonly resetAt: number;
  /** Whole seconds until then, at least 1. */
  readonly retryAfterSeconds: number;
}

export interface RateWindow {
  /** Counts a request of the subject. */
  take(subject: string, limit: number): RateStanding;
  /** Where the subject stands, without a request. */
  look(subject: string, limit: number): RateStanding;
}

/** Milliseconds since 1970, twice: windows must not be cut short or drawn out where somebody sets the clock. */
export interface WindowClock {
  /** As it was when the process began, and never set since. */
  readonly steady: () => number;
  /** As clients know it. */
  readonly wall: () => number;
}

interface RateWindowOptions {
  readonly clock: WindowClock;
  /** Whole seconds, in milliseconds. */
  readonly windowMs: number;
  /** Subjects counted apart in one window; all further ones share one count, so that memory stays bounded. */
  readonly maxSubjects?: number;
}

const MAX_SUBJECTS = 100_000;
const OTHERS = '';

/** The clock of a process: what sets the system's clock moves only what clients are told of it. */
export const processClock: WindowClock = {
  steady: () => performance.timeOrigin + performance.now(),
  wall: Date.now,
};

/**
 * Counts requests in fixed windows, which begin for all subjects together: what a window counted is dropped whole when
 * the next begins, without a timer. What changes with the second is made once a second.
 */
export function rateWindow({ clock, windowMs, maxSubjects = MAX_SUBJECTS }: RateWindowOptions): RateWindow {
  let window = -1;
  let second = -1;
  let resetAt = 0;
  let retryAfterSeconds = 1;
  let counts = new Map<string, { used: number }>();

  function turnTo(at: number): void {
    second = Math.floor(at / 1_000);
    const current = Math.floor(at / windowMs);
    if (current !== window) {
      window = current;
      counts = new Map();
    }
    const leftMs = (current + 1) * windowMs - at;
    resetAt = Math.round((clock.wall() + leftMs) / 1_000);
    retryAfterSeconds = Math.max(1, Math.ceil(leftMs / 1_000));
  }

  function countOf(subject: string): { used: number } {
    const known = counts.get(subject);
    if (known !== undefined) return known;
    const counted = counts.size < maxSubjects ? subject : OTHERS;
    const count = counts.get(counted) ?? { used: 0 };
    counts.set(counted, count);
    return count;
  }

  const standing = (used: number, limit: number): RateStanding => ({
    isAllowed: used <= limit,
    limit,
    remaining: Math.max(0, limit - used),
    resetAt,
    retryAfterSeconds,
  });

  const turn = (): void => {
    const at = clock.steady();
    if (Math.floor(at / 1_000) !== second) turnTo(at);
  };

  return {
    take(subject, limit) {
      turn();
      const count = countOf(subject);
      const used = count.used + 1;
      // Refused requests are not counted on, so that the number stays small.
      if (used <= limit) count.used = used;
      return standing(used, limit);
    },
    look(subject, limit) {
      turn();
      const count = counts.get(subject) ?? (counts.size < maxSubjects ? undefined : counts.get(OTHERS));
      return standing(count?.used ?? 0, limit);
    },
  };
}
