import type { Pool, PoolClient } from 'pg';
import { ApiError } from '../errors.ts';

interface PoolBounds {
  /** Statements that may wait for a connection; more are refused at once. */
  readonly mostWaiting: number;
  /** Milliseconds that are left to whoever asks; null where nobody in particular does. */
  readonly leftMs: () => number | null;
  /** The longest that a statement may take by itself, its wait for a connection included. */
  readonly longestMs: number;
  /** Of the same server, for cancelling what is late. */
  readonly watchPool: Pool;
}

const RETRY_AFTER_SECONDS = 5;
/** A statement ends so much before the request, that the request may still be answered by what it threw. */
const AHEAD_MS = 200;
const AGAIN_MS = 100;

/**
 * Bounds what is asked of a pool: by how many may wait, and by the time that is left to the request in whose name it is
 * asked. No statement begins after that, and one that is under way then is cancelled in the database.
 *
 * @throws ApiError from `query`: `pool_exhausted`, `deadline_exceeded`
 */
export function boundPool(pool: Pool, bounds: PoolBounds): Pool {
  const { mostWaiting, leftMs, longestMs, watchPool } = bounds;
  const query = pool.query.bind(pool) as Query;

  const bounded: Query = (...args) => {
    if (pool.waitingCount >= mostWaiting)
      return Promise.reject(
        new ApiError('pool_exhausted', {
          message: 'Every database connection is busy, and too many requests wait for one.',
          retryAfterSeconds: RETRY_AFTER_SECONDS,
        }),
      );
    const left = leftMs();
    // The database ends by itself what cannot be late.
    if (left === null || left >= longestMs) return query(...args);
    if (left <= AHEAD_MS) return Promise.reject(new ApiError('deadline_exceeded'));
    return queryWithin(left - AHEAD_MS, args);
  };

  async function queryWithin(ms: number, args: unknown[]): Promise<unknown> {
    const endsAt = performance.now() + ms;
    const client = await pool.connect();
    let cancelling: Promise<void> | null = null;
    let timer = setTimeout(
      function end() {
        cancelling = cancel(client, watchPool);
        // The statement may not have begun when it was told to end.
        timer = setTimeout(end, AGAIN_MS);
      },
      Math.max(0, endsAt - performance.now()),
    );
    let isSound = false;
    try {
      const result = await (client.query.bind(client) as Query)(...args);
      isSound = true;
      return result;
    } finally {
      clearTimeout(timer);
      await cancelling;
      // What was sent to cancel one statement must not hit the next on the same connection.
      client.release(!isSound || cancelling !== null);
    }
  }

  pool.query = bounded as Pool['query'];
  return pool;
}

type Query = (...args: unknown[]) => Promise<unknown>;

async function cancel(client: PoolClient, watchPool: Pool): Promise<void> {
  const { processID } = client as PoolClient & { readonly processID: number };
  // Where it cannot be told to, the database ends the statement by its own time-out.
  await watchPool.query('select pg_cancel_backend($1)', [processID]).catch(() => {});
}
