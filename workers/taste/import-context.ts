import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Backoff } from '../../infra/runtime/retry.ts';
import type { MatchLookups } from '../../projections/models/taste/match-items.ts';
import type { RequestLimits } from './request-upstream.ts';
import type { TransientFailure, Upstream } from './upstream.ts';

/** Attempts before an import fails, and the pauses between them in milliseconds. */
export type RetryLimits = Readonly<Record<TransientFailure, Backoff & { readonly attempts: number }>>;

/** Circuit breaker: pauses requests to a service after that many consecutive failed imports. */
export type BreakerLimits = Backoff & { readonly after: number };

export interface ImportOptions {
  readonly pool: Pool;
  readonly log: Logger;
  readonly upstreams: readonly Upstream[];
  /** Pages per import; the import skips the rest. */
  readonly maxPages: number;
  /** No page starts after that many milliseconds; a later run continues. */
  readonly runMs: number;
  readonly signal: AbortSignal;
  readonly retryLimits?: RetryLimits;
  readonly breaker?: BreakerLimits;
  readonly limits?: RequestLimits;
  /** Milliseconds between polls for due imports of a service. */
  readonly pollMs?: number;
}

/** Results of a run. */
export interface ImportCounts {
  pages: number;
  done: number;
  failed: number;
  postponed: number;
}

/** Everything an import of one service works with. */
export interface ImportContext extends ImportOptions {
  readonly upstream: Upstream;
  readonly counts: ImportCounts;
  readonly lookups: MatchLookups;
}
