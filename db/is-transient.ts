/**
 * SQLSTATEs, or their classes, of transient errors: lost or refused connections, conflicts of transactions, exhausted
 * resources, a server that starts, stops or became a replica, a lock timeout.
 */
const TRANSIENT = [/^08/, /^40/, /^53/, /^57P/, /^58/, /^25006$/, /^55P03$/];
const NETWORK: ReadonlySet<string> = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ETIMEDOUT',
]);
/** Errors of node-pg without a code. */
const LOST_CONNECTION =
  /^Connection terminated|^Client has encountered a connection error|^timeout exceeded when trying to connect/;

/** Whether a retry may succeed: the database caused the error, not the work. */
export function isTransient(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isTransient);
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  if (typeof code === 'string') return NETWORK.has(code) || TRANSIENT.some((pattern) => pattern.test(code));
  return LOST_CONNECTION.test(error.message);
}
