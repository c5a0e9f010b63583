import type { RateStanding } from '../rate-window.ts';
import type { RatePolicy } from './policy.ts';
import type { AskedWindow, Before } from './question-batches.ts';

/** What becomes of a request, and where it stands in which window. */
interface Decision {
  readonly refusedBy: 'rate' | 'concurrency' | null;
  readonly standing: RateStanding;
  readonly policy: RatePolicy;
}

interface Decided {
  readonly windows: readonly AskedWindow[];
  readonly before: Before;
  /** Requests that asked with this one, but before it. */
  readonly earlier: number;
  /** Places there are; null for any number. */
  readonly most: number | null;
  /** The window that clients are told of where the request is let in. */
  readonly shown: number;
}

/**
 * What the store has decided of one of several requests that asked together: places come first, then each window counts
 * those that all before it let in. The first requests are let in, the last refused.
 */
export function decide({ windows, before, earlier, most, shown }: Decided): Decision {
  const { now, used, taken } = before;
  const free = most === null ? Number.POSITIVE_INFINITY : Math.max(0, most - taken);
  const standingIn = (window: number, more: number): Omit<Decision, 'refusedBy'> => {
    const asked = windows[window];
    if (asked === undefined) throw new Error('there is no such window');
    return { policy: asked.policy, standing: standingAt(asked.policy, (used[window] ?? 0) + more, now) };
  };
  if (earlier >= free) {
    const general = windows[0]?.policy.limit ?? 0;
    const counted = Math.min(free, Math.max(0, general - (used[0] ?? 0)));
    return { refusedBy: 'concurrency', ...standingIn(0, counted) };
  }
  const full = windows.findIndex(({ policy }, window) => (used[window] ?? 0) + earlier >= policy.limit);
  return full < 0
    ? { refusedBy: null, ...standingIn(shown, earlier + 1) }
    : { refusedBy: 'rate', ...standingIn(full, earlier + 1) };
}

/** Where a subject stands after so many requests, in windows that begin for all together. */
export function standingAt({ limit, windowMs }: RatePolicy, used: number, now: number): RateStanding {
  const endsAt = (Math.floor(now / windowMs) + 1) * windowMs;
  return {
    isAllowed: used <= limit,
    limit,
    remaining: Math.max(0, limit - used),
    resetAt: Math.ceil(endsAt / 1_000),
    retryAfterSeconds: Math.max(1, Math.ceil((endsAt - now) / 1_000)),
  };
}
