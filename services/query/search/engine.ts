import type { FacetList } from './list-facets.ts';
import type { SearchQuery } from './query.ts';
import type { IndexResult } from './search-index.ts';

/**
 * The search for routes: all that they know of an index. Words come split and values folded, so engines only look them up.
 * It throws only errors that the service maps to responses.
 */
export interface SearchEngine {
  /**
   * @param options.isUpToDate whether the search must include all current changes of the read model
   * @throws ApiError `not_ready` while there is no generation
   */
  search(query: SearchQuery, options: { signal: AbortSignal; isUpToDate: boolean }): Promise<IndexResult>;
  /** The same `values` object as long as the state stays. */
  facets(signal: AbortSignal): Promise<FacetList>;
  /** The commonest spelling of a label; null if no label has the name. */
  findLabel(name: string, signal: AbortSignal): Promise<string | null>;
  /** Opens the index before the first search. */
  start(): void;
  stop(): Promise<void>;
}
