import type { FacetList } from './list-facets.ts';
import type { SearchQuery } from './query.ts';
import type { IndexFound } from './search-index.ts';

/** What the thread that searches is asked. */
export type Question =
  | { readonly kind: 'search'; readonly query: SearchQuery; readonly isUpToDate: boolean }
  | { readonly kind: 'facets' }
  | { readonly kind: 'label'; readonly name: string };

export type ToThread =
  | { readonly id: number; readonly question: Question }
  /** The answer is not wanted any more. */
  | { readonly id: number; readonly question: null }
  | 'stop';

/** An error as it goes from thread to thread. */
export interface Failure {
  readonly message: string;
  /** Of the database or the system. */
  readonly code: string | null;
  readonly isMissing: boolean;
}

export type FromThread =
  | 'listening'
  | { readonly id: number; readonly answer: Answer }
  | { readonly id: number; readonly failure: Failure }
  /** Something to be logged, which no question waits for. */
  | { readonly id: null; readonly failure: Failure };

export type Answer = IndexFound | FacetList | string | null;

export interface ThreadSettings {
  readonly url: string;
}
