import { ApiError } from './errors.ts';

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
/** node-pg says these without a code. */
const NO_CONNECTION_MESSAGES = /^(?:timeout exceeded when trying to connect|Connection terminated)/;
/** Where there are connections, but none is free; all else means that the database is away. */
const TOO_MANY_CONNECTIONS = '53300';
const NONE_FREE_MESSAGE = 'timeout exceeded when trying to connect';
const STATEMENT_TIMEOUT = '57014';
const QUERY_TIMEOUT_MESSAGE = 'Query read timeout';
/** A replica cancels what stands in the way of replay. */
const REPLICA_CONFLICT = '40001';
const NO_SUCH_TABLE = '42P01';
const RETRY_AFTER_SECONDS = 5;

/** What a failure of the database means to the client; null where the failure is none of those known. */
export function databaseError(error: Error): ApiError | null {
  const code = 'code' in error ? String(error.code) : '';
  if (code === STATEMENT_TIMEOUT || error.message === QUERY_TIMEOUT_MESSAGE)
    return new ApiError('deadline_exceeded', {}, error);
  if (code === NO_SUCH_TABLE)
    return new ApiError('not_ready', { retryAfterSeconds: RETRY_AFTER_SECONDS }, error);
  const isUnreachable =
    code === REPLICA_CONFLICT ||
    NO_CONNECTION_CODES.has(code) ||
    NO_CONNECTION_CLASSES.test(code) ||
    NO_CONNECTION_MESSAGES.test(error.message);
  if (!isUnreachable) return null;
  const isBusy = code === TOO_MANY_CONNECTIONS || error.message === NONE_FREE_MESSAGE;
  const message = isBusy ? 'Every database connection is busy.' : 'The database cannot be reached.';
  return new ApiError('pool_exhausted', { message, retryAfterSeconds: RETRY_AFTER_SECONDS }, error);
}
