import { DatabaseError } from 'pg';
import type { Logger } from 'pino';

/**
 * SQLSTATEs of a table that cannot be read while the database is well: it is missing or of another shape, may not be
 * read, or is damaged.
 */
const UNREADABLE = /^(?:3F000|42501|42703|42P01|58\w{3}|XX\w{3})$/;
const LOG_EVERY_MS = 1_000;

/** Reads of one corpus: null where it cannot be read. */
type ReadCorpus = <T>(read: () => Promise<T>) => Promise<T | null>;

/**
 * Makes what tells a corpus that cannot be read from a database that is busy or away, whose errors are thrown on. While
 * it lasts there is one line a second of it in the log.
 */
export function corpusReader(log: Logger): ReadCorpus {
  let loggedAt = Number.NEGATIVE_INFINITY;
  return async (read) => {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof DatabaseError) || !UNREADABLE.test(error.code ?? '')) throw error;
      if (performance.now() - loggedAt > LOG_EVERY_MS) {
        loggedAt = performance.now();
        log.warn({ err: error }, 'tracks cannot be read');
      }
      return null;
    }
  };
}
