import type { Visitor } from '../../http/client-network.ts';
import type { RateStanding, WindowClock } from './rate-window.ts';

export interface SlidingWindow {
  /** Counts a request of the visitor. Rejects where it cannot be counted. */
  take(visitor: Visitor): Promise<RateStanding>;
}

interface SlidingWindowOptions {
  /** Requests of one network that any stretch of `windowMs` may hold. */
  readonly limit: number;
  /** Requests of all networks of one site together. */
  readonly siteLimit: number;
  readonly windowMs: number;
  readonly clock: WindowClock;
  /** Networks with a request in the window that memory has room for; while there are more, nobody new is counted. */
  readonly maxNetworks?: number;
}

const MAX_NETWORKS = 50_000;

/**
 * Counts requests in the window that ends with each of them, exactly: a request leaves it when it is `windowMs` old. A
 * site takes up the room of `siteLimit` networks at most, so that whoever has one cannot keep all others out.
 */
export function slidingWindow(options: SlidingWindowOptions): SlidingWindow {
  const { limit, siteLimit, windowMs, clock, maxNetworks = MAX_NETWORKS } = options;
  const networks = allowances(limit, windowMs, clock);
  // Each of them has a network in the window, so that there are no more of them.
  const sites = allowances(siteLimit, windowMs, clock);

  return {
    async take({ network, site }) {
      const at = clock.steady();
      networks.forget(at);
      sites.forget(at);
      // Refused requests are not counted on: whoever waits for as long as told is let through.
      const own = networks.look(network, at);
      if (!own.isAllowed) return own;
      const shared = site === null ? null : sites.look(site, at);
      if (shared?.isAllowed === false) return shared;
      if (!networks.has(network) && networks.size() >= maxNetworks)
        throw new Error(`more than ${maxNetworks} networks in one window`);
      const left = networks.count(network, at);
      const leftToAll = site === null ? left : sites.count(site, at);
      return leftToAll.remaining < left.remaining ? leftToAll : left;
    },
  };
}

interface Allowances {
  has(subject: string): boolean;
  size(): number;
  /** Where the subject would stand if it asked, without counting that. */
  look(subject: string, at: number): RateStanding;
  count(subject: string, at: number): RateStanding;
  /** Lets go of subjects that have no request in the window. */
  forget(at: number): void;
}

function allowances(limit: number, windowMs: number, clock: WindowClock): Allowances {
  /** When the requests of each were allowed; whose latest is oldest comes first. */
  const allowed = new Map<string, number[]>();

  const timesOf = (subject: string, at: number): number[] =>
    allowed.get(subject)?.filter((time) => time > at - windowMs) ?? [];

  function standingAt(at: number, times: readonly number[], isAllowed: boolean): RateStanding {
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
    has: (subject) => allowed.has(subject),
    size: () => allowed.size,
    look(subject, at) {
      const times = timesOf(subject, at);
      return standingAt(at, times, times.length < limit);
    },
    count(subject, at) {
      const times = [...timesOf(subject, at), at];
      allowed.delete(subject);
      allowed.set(subject, times);
      return standingAt(at, times, true);
    },
    forget(at) {
      for (const [subject, times] of allowed) {
        if ((times.at(-1) ?? 0) > at - windowMs) break;
        allowed.delete(subject);
      }
    },
  };
}
