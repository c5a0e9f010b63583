import type { Source } from '../sources/contract.ts';
import type { MirrorView } from './mirror-view.ts';

/** How old a snapshot may grow before it is called stale; time of the clock, whatever day it was computed for. */
const STALE_AFTER_MS = 7 * 86_400_000;

/** @param now milliseconds since 1970 */
export const isStale = (publishedAt: Date, now: number): boolean =>
  now - publishedAt.getTime() > STALE_AFTER_MS;

/** One row of an index as it is served, under what it is about. */
export interface Entry {
  readonly list: string;
  /** Cluster id, once in its list. */
  readonly key: string;
  readonly body: object;
}

/** An index of all artists, computed whole: no row of it can be told from the rows of one artist alone. */
export interface PublishedIndex {
  readonly name: string;
  /** Module that computes it, from the root of the projections. */
  readonly module: string;
  /**
   * Sources whose rows decide who is in it. Where they and the day are those of the snapshot that is served, a run has
   * nothing to do; null where every run publishes.
   */
  readonly decidedBy: readonly Source[] | null;
  /**
   * Whether the rows are what was known on a day, which its snapshots are then of. Else they are all rows there are, and
   * a snapshot is of the UTC day on which it was published.
   */
  readonly isOfDay: boolean;
  /**
   * All its entries, those of one list in their order. The same rows and day give the same entries.
   *
   * @param day YYYY-MM-DD; means nothing to an index that is not of a day
   */
  compute(mirror: MirrorView, day: string): Promise<readonly Entry[]>;
}
