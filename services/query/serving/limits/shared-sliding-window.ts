import type { RateStanding } from '../rate-window.ts';
import type { SlidingWindow } from '../sliding-window.ts';
import type { LimitStore } from './limit-store.ts';

interface SharedSlidingOptions {
  /** Requests of one network that any stretch of `windowMs` may hold. */
  readonly limit: number;
  /** Requests of all networks of one site together. */
  readonly siteLimit: number;
  readonly windowMs: number;
}

/**
 * Counts requests in the window that ends with each of them, exactly, for all processes that share the store and by its
 * clock. Where the store does not answer, they cannot be counted.
 */
export function sharedSlidingWindow(store: LimitStore, options: SharedSlidingOptions): SlidingWindow {
  const { limit, siteLimit, windowMs } = options;
  return {
    async take({ network, site }) {
      const keys = [
        store.keyOf('preview', network),
        ...(site === null ? [] : [store.keyOf('preview', site)]),
      ];
      const [now = 0, isCounted = 0, ...states] = await store.slide(keys, [windowMs, limit, siteLimit]);
      const own = windowState(states, 0, limit);
      const ofSite = site === null ? null : windowState(states, 2, siteLimit);
      const standing = (state: WindowState) => standingOf(state, isCounted, { now, windowMs });
      if (ofSite === null || (isCounted === 0 && own.count >= limit)) return standing(own);
      if (isCounted === 0) return standing(ofSite);
      return ofSite.limit - ofSite.count < own.limit - own.count ? standing(ofSite) : standing(own);
    },
  };
}

interface WindowState {
  readonly limit: number;
  /** Requests before this one. */
  readonly count: number;
  /** When the first of them came. */
  readonly first: number;
}

const windowState = (states: readonly number[], at: number, limit: number): WindowState => ({
  limit,
  count: states[at] ?? 0,
  first: states[at + 1] ?? 0,
});

function standingOf(
  { limit, count, first }: WindowState,
  isCounted: number,
  { now, windowMs }: { readonly now: number; readonly windowMs: number },
): RateStanding {
  const freedAt = first + windowMs;
  return {
    isAllowed: isCounted === 1,
    limit,
    remaining: Math.max(0, limit - count - isCounted),
    resetAt: Math.ceil(freedAt / 1_000),
    retryAfterSeconds: Math.max(1, Math.ceil((freedAt - now) / 1_000)),
  };
}
