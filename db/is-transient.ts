/**
 * SQLSTATEs, or their classes, of faults that pass by themselves: connections lost or refused, transactions that met
 * others, resources run out, a server that starts, stops or has become a replica, a lock waited for in vain.
 */
const PASSING = [/^08/, /^40/, /^53/, /^57P/, /^58/, /^25006$/, /^55P03$/];
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
/** What node-pg says without a code. */
const LOST =
  /^Connection terminated|^Client has encountered a connection error|^timeout exceeded when trying to connect/;

/** Whether work that failed with this error may succeed when it is tried again: the database is at fault, not the work. */
export function isTransient(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isTransient);
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  if (typeof code === 'string') return NETWORK.has(code) || PASSING.some((pattern) => pattern.test(code));
  return LOST.test(error.message);
}
