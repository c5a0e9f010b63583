import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { OwnerLookup } from '../../projections/identity/read.ts';
import type { Backoff } from '../backoff.ts';
import type { AskLimits } from './ask.ts';
import type { PassingFailure, Upstream } from './upstream.ts';

/** How often an import is put off in a row before it fails, and the pauses between, in milliseconds. */
export type Patience = Readonly<Record<PassingFailure, Backoff & { readonly attempts: number }>>;

/** After how many imports in a row that failed a service is left alone, and for how many milliseconds. */
export type Breaks = Backoff & { readonly after: number };

export interface ImportParts {
  readonly pool: Pool;
  readonly log: Logger;
  readonly upstreams: readonly Upstream[];
  /** Pages of one import; what is beyond is left out. */
  readonly mostPages: number;
  /** No page is begun after so many milliseconds; a later run goes on. */
  readonly runMs: number;
  readonly signal: AbortSignal;
  readonly patience?: Patience;
  readonly breaks?: Breaks;
  readonly limits?: AskLimits;
  /** How long a service for which nothing may go on waits, in milliseconds, before it is looked at again. */
  readonly lookMs?: number;
}

/** What a run did. */
export interface ImportCounts {
  pages: number;
  done: number;
  failed: number;
  postponed: number;
}

/** The imports of one service, which go on one page at a time. */
export interface Lane extends ImportParts {
  readonly upstream: Upstream;
  readonly counts: ImportCounts;
  readonly owner: OwnerLookup;
}
