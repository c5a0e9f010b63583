import type { FacetList, FacetState } from './list-facets.ts';
import type { SearchQuery } from './query.ts';
import type { IndexResult } from './search-index.ts';

/** A request to the search thread. */
export type ThreadRequest =
  | { readonly kind: 'search'; readonly query: SearchQuery; readonly isUpToDate: boolean }
  /** Responds with the state alone if it is the known one. */
  | { readonly kind: 'facets'; readonly known: string | null }
  | { readonly kind: 'label'; readonly name: string };

export type ThreadCommand =
  | { readonly id: number; readonly request: ThreadRequest }
  /** Cancels a request. */
  | { readonly id: number; readonly request: null }
  | 'stop';

/** A serialised error. */
export interface ThreadFailure {
  readonly message: string;
  /** Error code of the database or the system. */
  readonly code: string | null;
  readonly isMissing: boolean;
}

export type ThreadMessage =
  | 'listening'
  | { readonly id: number; readonly result: ThreadResult }
  | { readonly id: number; readonly failure: ThreadFailure }
  /** A background failure to log. */
  | { readonly id: null; readonly failure: ThreadFailure };

export type ThreadResult = IndexResult | FacetList | FacetState | string | null;

export interface ThreadSettings {
  readonly url: string;
}
