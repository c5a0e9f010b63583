import type { Source } from '../../contracts/contract.ts';
import type { MirrorView } from './mirror-view.ts';

/** The age at which a snapshot is stale, in real time whatever its day. */
const STALE_AFTER_MS = 7 * 86_400_000;

/** @param now milliseconds since 1970 */
export const isStale = (publishedAt: Date, now: number): boolean =>
  now - publishedAt.getTime() > STALE_AFTER_MS;

/** One row of an index as served, with its key. */
export interface IndexEntry {
  readonly list: string;
  /** Cluster id, once in its list. */
  readonly key: string;
  readonly body: object;
}

/** An index of all artists, computed whole because each row depends on the rows of all artists. */
export interface PublishedIndex {
  readonly name: string;
  /** Raised by one whenever the same rows and day give other entries; see `Projection`. */
  readonly version: number;
  /**
   * The sources whose rows decide which artists are in it. A run does nothing if their rows and the day are those of the live
   * snapshot. Null: every run publishes.
   */
  readonly decidedBy: readonly Source[] | null;
  /**
   * Whether it is computed for a day, from what was known then. Else it uses all rows, and the day of a snapshot is the UTC
   * day of its publication.
   */
  readonly isDated: boolean;
  /**
   * All entries, each list in order. The same rows and day give the same entries.
   *
   * @param day YYYY-MM-DD; unused if the index is not dated
   */
  compute(mirror: MirrorView, day: string): Promise<readonly IndexEntry[]>;
}
