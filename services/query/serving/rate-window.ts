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

export const WINDOW_SECONDS = 60;
const WINDOW_MS = WINDOW_SECONDS * 1_000;
/** Subjects counted apart in one window; all further ones share one count, so that memory stays bounded. */
const MAX_SUBJECTS = 100_000;
const OTHERS = '';

/**
 * Counts requests in fixed windows of one minute, which begin for all subjects together: what a window counted is
 * dropped whole when the next begins, without a timer.
 *
 * @param now milliseconds since 1970
 */
export function rateWindow(now: () => number, maxSubjects = MAX_SUBJECTS): RateWindow {
  let window = -1;
  let counts = new Map<string, number>();

  function stand(subject: string, limit: number, taken: 0 | 1): RateStanding {
    const at = now();
    const current = Math.floor(at / WINDOW_MS);
    if (current !== window) {
      window = current;
      counts = new Map();
    }
    const counted = counts.has(subject) || counts.size < maxSubjects ? subject : OTHERS;
    const used = (counts.get(counted) ?? 0) + taken;
    // Refused requests are not counted on, so that the number stays small.
    if (taken > 0 && used <= limit) counts.set(counted, used);
    const resetAt = ((current + 1) * WINDOW_MS) / 1000;
    return {
      isAllowed: used <= limit,
      limit,
      remaining: Math.max(0, limit - used),
      resetAt,
      retryAfterSeconds: Math.max(1, Math.ceil(resetAt - at / 1000)),
    };
  }

  return {
    take: (subject, limit) => stand(subject, limit, 1),
    look: (subject, limit) => stand(subject, limit, 0),
  };
}
