import { DatabaseError } from 'pg';
import type { Logger } from 'pino';
import { databaseError } from '../database-errors.ts';

/** What a read comes to; `degraded` where the database is well but cannot read what is asked of it. */
export type SoftRead = <T>(read: () => Promise<T>) => Promise<T | 'degraded'>;

const LOG_EVERY_MS = 1_000;

/**
 * Makes a reader that fails soft: a table that is missing, may not be read or is damaged spoils an answer and no more.
 * A database that is busy, away or late is another matter, where asking again helps: its errors are thrown on. While
 * reads fail there is one line a second in the log.
 */
export function softReader(log: Logger, what: string): SoftRead {
  let loggedAt = Number.NEGATIVE_INFINITY;
  return async (read) => {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof DatabaseError) || isPassing(error)) throw error;
      if (performance.now() - loggedAt > LOG_EVERY_MS) {
        loggedAt = performance.now();
        log.warn({ err: error, what }, 'an index cannot be read');
      }
      return 'degraded';
    }
  };
}

function isPassing(error: DatabaseError): boolean {
  const code = databaseError(error)?.code;
  return code === 'pool_exhausted' || code === 'deadline_exceeded';
}
