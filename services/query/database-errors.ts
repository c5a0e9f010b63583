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
  return isUnreachable
    ? new ApiError('pool_exhausted', { retryAfterSeconds: RETRY_AFTER_SECONDS }, error)
    : null;
}
