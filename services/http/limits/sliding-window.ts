import type { RateLimitState, RatePolicy } from './policy.ts';
import { type WindowClock, windowState } from './windows.ts';

export interface SlidingWindow {
  /** Counts a request in each of its networks, the narrowest first, or in none. Rejects if it cannot be counted. */
  take(networks: readonly string[]): Promise<SlidingDecision>;
}

export interface SlidingDecision {
  readonly state: RateLimitState;
  /** The policy that rejects the request, or else the one that leaves the fewest requests. */
  readonly policy: RatePolicy;
}

interface LocalOptions {
  /** The policy of each level of networks, the narrowest first. */
  readonly policies: readonly RatePolicy[];
  readonly clock: WindowClock;
  /** Networks of one level that memory has room for; a new one displaces the one without a request for longest. */
  readonly maxNetworks?: number;
}

const MAX_NETWORKS = 50_000;
/** Buckets in a window of a wider network: its requests are too many to keep the time of each. */
const BUCKETS = 60;

/** Milliseconds whose requests count as one bucket. */
export const bucketMs = ({ windowMs }: RatePolicy, level: number): number =>
  level === 0 ? 1 : Math.ceil(windowMs / BUCKETS);

/**
 * Counts requests in the window that ends with each of them. A request leaves it when its bucket is `windowMs` old: for the
 * narrowest network to the millisecond, for wider ones a bucket late, so they never accept too many. A displaced network
 * starts again, but the wider ones around it have counted its requests.
 */
export function slidingWindow({ policies, clock, maxNetworks = MAX_NETWORKS }: LocalOptions): SlidingWindow {
  const levels = policies.map((policy, level) => bucketTable(policy, bucketMs(policy, level), maxNetworks));
  return {
    async take(networks) {
      const at = clock.steady();
      const tables = levels.slice(0, networks.length);
      const asked = tables.map((table, level) => table.withRequest(networks[level] as string, at));
      // Rejected requests are not counted, so a client that waits for `retryAfterSeconds` is accepted.
      if (asked.every(({ used }, level) => used <= (policies[level] as RatePolicy).limit))
        for (const [level, table] of tables.entries()) table.count(networks[level] as string, at);
      return slidingDecision(policies, asked, clock.wall());
    },
  };
}

/** The requests of a network in its window. */
interface LevelCount {
  readonly used: number;
  /** Until the earliest request leaves. */
  readonly msLeft: number;
}

/** @param counts of each level, with the request: the last one, if it rejects the request */
export function slidingDecision(
  policies: readonly RatePolicy[],
  counts: readonly LevelCount[],
  wallMs: number,
): SlidingDecision {
  const decisions = counts.map((count, level) => {
    const policy = policies[level] as RatePolicy;
    const resetAt = Math.ceil((wallMs + count.msLeft) / 1_000);
    return { policy, state: { ...windowState(policy, count, wallMs), resetAt } };
  });
  return (
    decisions.find(({ state }) => !state.isAllowed) ??
    decisions.reduce((least, next) => (next.state.remaining < least.state.remaining ? next : least))
  );
}

/** Ends of buckets in milliseconds, the earliest first, and the requests in each. */
interface Buckets {
  readonly ends: number[];
  readonly counts: number[];
}

/** The requests of the networks of one level. */
function bucketTable({ windowMs }: RatePolicy, length: number, maxNetworks: number) {
  /** The network with the oldest last request comes first. */
  const byNetwork = new Map<string, Buckets>();
  const endOf = (at: number): number => Math.ceil(at / length) * length;

  function dropExpired(at: number): void {
    for (const [network, { ends }] of byNetwork) {
      if ((ends.at(-1) ?? 0) > at - windowMs) break;
      byNetwork.delete(network);
    }
  }

  return {
    /** The count with another request, and the time until the earliest request leaves. */
    withRequest(network: string, at: number): LevelCount {
      dropExpired(at);
      const { ends, counts } = byNetwork.get(network) ?? { ends: [], counts: [] };
      const expired = ends.filter((end) => end <= at - windowMs).length;
      ends.splice(0, expired);
      counts.splice(0, expired);
      const used = counts.reduce((sum, count) => sum + count, 1);
      return { used, msLeft: (ends[0] ?? endOf(at)) + windowMs - at };
    },
    count(network: string, at: number): void {
      const buckets = byNetwork.get(network) ?? { ends: [], counts: [] };
      const { ends, counts } = buckets;
      if (ends.at(-1) !== endOf(at)) {
        ends.push(endOf(at));
        counts.push(0);
      }
      counts.push((counts.pop() ?? 0) + 1);
      byNetwork.delete(network);
      byNetwork.set(network, buckets);
      const [longest] = byNetwork.keys();
      if (byNetwork.size > maxNetworks && longest !== undefined) byNetwork.delete(longest);
    },
  };
}
