import type { Visitor } from '../client-network.ts';
import type { RateLimitState } from './policy.ts';
import type { WindowClock } from './windows.ts';

export interface SlidingWindow {
  /** Counts a request of the visitor. Rejects if it cannot be counted. */
  take(visitor: Visitor): Promise<RateLimitState>;
}

export interface SlidingWindowOptions {
  /** Requests of one network in any `windowMs`. */
  readonly limit: number;
  /** Requests of all networks of one site together. */
  readonly siteLimit: number;
  readonly windowMs: number;
}

interface LocalOptions extends SlidingWindowOptions {
  readonly clock: WindowClock;
  /** Networks, and sites, that memory has room for; a new one displaces the one without a request for longest. */
  readonly maxNetworks?: number;
}

const MAX_NETWORKS = 50_000;

/**
 * Counts requests exactly in the window that ends with each of them: a request leaves it when it is `windowMs` old. A
 * displaced network starts again, but its site has counted its requests.
 */
export function slidingWindow(options: LocalOptions): SlidingWindow {
  const { limit, siteLimit, windowMs, clock, maxNetworks = MAX_NETWORKS } = options;
  const networks = allowances({ limit, windowMs, clock, most: maxNetworks });
  const sites = allowances({ limit: siteLimit, windowMs, clock, most: maxNetworks });

  return {
    async take({ network, site }) {
      const at = clock.steady();
      networks.forget(at);
      sites.forget(at);
      // Rejected requests are not counted, so a client that waits for `retryAfterSeconds` is accepted.
      const own = networks.peek(network, at);
      if (!own.isAllowed) return own;
      const shared = site === null ? null : sites.peek(site, at);
      if (shared?.isAllowed === false) return shared;
      const left = networks.count(network, at);
      const leftToAll = site === null ? left : sites.count(site, at);
      return leftToAll.remaining < left.remaining ? leftToAll : left;
    },
  };
}

interface Allowances {
  /** The state of the subject without another request. */
  peek(subject: string, at: number): RateLimitState;
  count(subject: string, at: number): RateLimitState;
  /** Drops subjects without a request in the window. */
  forget(at: number): void;
}

interface AllowanceOptions {
  readonly limit: number;
  readonly windowMs: number;
  readonly clock: WindowClock;
  readonly most: number;
}

function allowances({ limit, windowMs, clock, most }: AllowanceOptions): Allowances {
  /** Times of accepted requests, by subject; the subject with the oldest last request comes first. */
  const allowed = new Map<string, number[]>();

  const timesOf = (subject: string, at: number): number[] =>
    allowed.get(subject)?.filter((time) => time > at - windowMs) ?? [];

  function stateAt(at: number, times: readonly number[], isAllowed: boolean): RateLimitState {
    const freedAt = (times[0] ?? at) + windowMs;
    return {
      isAllowed,
      limit,
      remaining: limit - times.length,
      resetAt: Math.ceil((clock.wall() + freedAt - at) / 1000),
      retryAfterSeconds: Math.max(1, Math.ceil((freedAt - at) / 1000)),
    };
  }

  return {
    peek(subject, at) {
      const times = timesOf(subject, at);
      return stateAt(at, times, times.length < limit);
    },
    count(subject, at) {
      const times = [...timesOf(subject, at), at];
      allowed.delete(subject);
      allowed.set(subject, times);
      const [longest] = allowed.keys();
      if (allowed.size > most && longest !== undefined) allowed.delete(longest);
      return stateAt(at, times, true);
    },
    forget(at) {
      for (const [subject, times] of allowed) {
        if ((times.at(-1) ?? 0) > at - windowMs) break;
        allowed.delete(subject);
      }
    },
  };
}
