import { AsyncLocalStorage } from 'node:async_hooks';
import { DatabaseError, type Pool } from 'pg';
import type { Logger } from 'pino';
import { throttle } from '../../infra/runtime/throttle.ts';
import { databaseError } from './database-errors.ts';
import { ApiError, type ErrorCode } from './errors.ts';

/** Why a read failed. */
export const DEGRADED_REASONS = [
  'not_configured',
  'not_granted',
  'not_migrated',
  'pool_exhausted',
  'database_unavailable',
  'deadline_exceeded',
  'read_failed',
] as const;
export type DegradedReason = (typeof DEGRADED_REASONS)[number];

/** The result of a read that failed; its response is `degraded`. */
export class FailedRead {
  readonly reason: DegradedReason;

  constructor(reason: DegradedReason) {
    this.reason = reason;
  }
}

/** A read without a pool to read from. */
export const NOT_CONFIGURED = new FailedRead('not_configured');

/** Runs a read. Its result is a `FailedRead` if the database cannot be read, whatever the cause, or takes too long. */
export type SoftRead = <T>(read: () => Promise<T>) => Promise<T | FailedRead>;

interface SoftReadOptions {
  readonly log: Logger;
  /** What is read, for the log. */
  readonly what: string;
  /** Milliseconds left to the current request; null outside of requests. */
  readonly leftMs: () => number | null;
}

/** A degraded response arrives within 5 seconds, of which half a second may pass before the read. */
const SOFT_READ_MS = 4_000;
/** A read ends this long before its request, which can still respond. */
const AHEAD_MS = 200;
const LOG_EVERY_MS = 1_000;

/** Errors of the database, as opposed to those of the request. */
const FAILURES: ReadonlySet<ErrorCode> = new Set([
  'pool_exhausted',
  'database_unavailable',
  'deadline_exceeded',
  'not_ready',
]);

/**
 * Makes a reader that fails soft. While reads fail, it logs one line a second.
 *
 * @returns rejects with the ApiError of an invalid request only
 */
export function softReader({ log, what, leftMs }: SoftReadOptions): SoftRead {
  const throttled = throttle(LOG_EVERY_MS);
  return async (read) => {
    const left = leftMs() ?? Number.POSITIVE_INFINITY;
    try {
      return await readWithin(Math.min(SOFT_READ_MS, left - AHEAD_MS), read);
    } catch (error) {
      if (error instanceof ApiError && !FAILURES.has(error.code)) throw error;
      const reason = degradedReason(error);
      throttled((skipped) =>
        log.warn(
          { err: error, what, reason, ...(skipped > 0 ? { moreSinceLastLine: skipped } : {}) },
          'a read failed; the response is degraded',
        ),
      );
      return new FailedRead(reason);
    }
  };
}

/** The role may not log in, or not read the table. */
const NOT_GRANTED = /^(?:28|42501$)/;
/** No such database, schema, table or column. */
const NOT_MIGRATED = /^(?:3D000|3F000|42P01|42703)$/;

function degradedReason(error: unknown): DegradedReason {
  if (!(error instanceof Error)) return 'read_failed';
  const sqlState = error instanceof DatabaseError ? (error.code ?? '') : '';
  if (NOT_GRANTED.test(sqlState)) return 'not_granted';
  if (NOT_MIGRATED.test(sqlState)) return 'not_migrated';
  const code = error instanceof ApiError ? error.code : databaseError(error)?.code;
  return DEGRADED_REASONS.find((reason) => reason === code) ?? 'read_failed';
}

const ends = new AsyncLocalStorage<number>();

/** Milliseconds left to the current soft read; null outside of one. A bounded pool cancels its statements by then. */
export function softReadLeftMs(): number | null {
  const endsAt = ends.getStore();
  return endsAt === undefined ? null : endsAt - performance.now();
}

/** @throws ApiError `deadline_exceeded` after `ms`, even if the read never ends */
async function readWithin<T>(ms: number, read: () => Promise<T>): Promise<T> {
  const { promise: isLate, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () =>
      reject(
        new ApiError('deadline_exceeded', { message: `A read took longer than ${ms / 1_000} seconds.` }),
      ),
    Math.max(0, ms),
  );
  try {
    return await Promise.race([ends.run(performance.now() + ms, read), isLate]);
  } finally {
    clearTimeout(timer);
  }
}

/** Limits statements that several soft reads share: they belong to none of them, so each has the whole time. */
export const limitShared = (pool: Pool): Pick<Pool, 'query'> => ({
  query: ((...args: Parameters<Pool['query']>) =>
    readWithin(SOFT_READ_MS, () => pool.query(...args) as unknown as Promise<unknown>)) as Pool['query'],
});

/** Degraded responses are not kept: the next one may have the data. */
export const cacheControlOf = (state: string): string =>
  state === 'degraded' ? 'no-store' : 'private, no-cache';
