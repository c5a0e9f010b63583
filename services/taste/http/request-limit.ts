import { visitorOf } from '../../http/client-network.ts';

const WINDOW_MS = 60_000;
/** Networks counted apart in one window; all further ones share one count, so that memory stays bounded. */
const MAX_NETWORKS = 100_000;
const OTHERS = 'others';

export interface RequestLimit {
  /** Counts a request. Answers the seconds to wait where it is one too many, else null. */
  take(address: string): number | null;
}

/**
 * Counts the requests of each network in windows of a minute, in this process.
 *
 * @param now milliseconds, of which only differences matter
 */
export function requestLimit(perMinute: number, now: () => number): RequestLimit {
  let startedAt = now();
  let counts = new Map<string, number>();
  return {
    take(address) {
      const at = now();
      if (at - startedAt >= WINDOW_MS || at < startedAt) {
        startedAt = at;
        counts = new Map();
      }
      const { network } = visitorOf(address);
      const counted = counts.has(network) || counts.size < MAX_NETWORKS ? network : OTHERS;
      const count = (counts.get(counted) ?? 0) + 1;
      if (count > perMinute) return Math.max(1, Math.ceil((startedAt + WINDOW_MS - at) / 1_000));
      counts.set(counted, count);
      return null;
    },
  };
}
