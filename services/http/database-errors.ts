import { ApiError, type ErrorCode } from './errors.ts';

/** The errors of routes that read the database, beside the deadline of every request. */
export const DATABASE_ERRORS = [
  'database_unavailable',
  'not_ready',
  'pool_exhausted',
] as const satisfies readonly ErrorCode[];

const NO_CONNECTION_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
]);
/** Connection exceptions, insufficient resources, operator intervention. */
const NO_CONNECTION_CLASSES = /^(?:08|53|57P)/;
/** Errors of node-pg without a code: a connection broke, or the pool has ended. */
const NO_CONNECTION_MESSAGES =
  /^(?:Connection terminated|Client has encountered a connection error|Cannot use a pool after calling end)/;
/** The server is up, but no connection is free. */
const TOO_MANY_CONNECTIONS = '53300';
const NO_FREE_CONNECTION_MESSAGE = 'timeout exceeded when trying to connect';
/** A statement, or its wait for a lock, took too long. */
const TIMEOUTS: ReadonlySet<string> = new Set(['57014', '55P03']);
const QUERY_TIMEOUT_MESSAGE = 'Query read timeout';
/** A replica cancels statements that block replay. */
const REPLICA_CONFLICT = '40001';
const REPLICA_CONFLICT_MESSAGE = 'The replica cancelled the statement to catch up with its primary.';
const NO_SUCH_TABLE = '42P01';

/** The API error for a failure of the database; null for an unknown failure. */
export function databaseError(error: Error): ApiError | null {
  const code = 'code' in error ? String(error.code) : '';
  if (TIMEOUTS.has(code) || error.message === QUERY_TIMEOUT_MESSAGE)
    return new ApiError(
      'deadline_exceeded',
      { message: 'A statement reached the time limit of the database.' },
      error,
    );
  if (code === NO_SUCH_TABLE) return new ApiError('not_ready', {}, error);
  if (code === TOO_MANY_CONNECTIONS || error.message === NO_FREE_CONNECTION_MESSAGE)
    return new ApiError('pool_exhausted', {}, error);
  if (code === REPLICA_CONFLICT)
    return new ApiError('database_unavailable', { message: REPLICA_CONFLICT_MESSAGE }, error);
  const isUnreachable =
    NO_CONNECTION_CODES.has(code) ||
    NO_CONNECTION_CLASSES.test(code) ||
    NO_CONNECTION_MESSAGES.test(error.message);
  return isUnreachable ? new ApiError('database_unavailable', {}, error) : null;
}
