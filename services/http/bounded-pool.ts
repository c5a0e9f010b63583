import type { Pool, PoolClient } from 'pg';
import { ApiError } from './errors.ts';

interface PoolBounds {
  /** Statements that may wait for a connection; further ones are rejected. */
  readonly mostWaiting: number;
  /** Milliseconds left to the current request; null outside of requests. */
  readonly leftMs: () => number | null;
  /** The longest time of a statement by its own timeouts, with its wait for a connection. */
  readonly longestMs: number;
  /** A pool of the same server, to cancel late statements. */
  readonly watchPool: Pool;
}

/** A statement ends this long before its request, which can still respond with the error. */
const AHEAD_MS = 200;
const AGAIN_MS = 100;

/**
 * Bounds a pool by the number of waiting statements and by the deadline of the current request: no statement begins after
 * it, and the database cancels one that is still running.
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
        }),
      );
    const left = leftMs();
    // The statement's own timeouts end it before the deadline.
    if (left === null || left >= longestMs) return query(...args);
    if (left <= AHEAD_MS)
      return Promise.reject(
        new ApiError('deadline_exceeded', {
          message: 'The time of the request ended before a statement could begin.',
        }),
      );
    return queryWithin(left - AHEAD_MS, args);
  };

  async function queryWithin(ms: number, args: unknown[]): Promise<unknown> {
    const endsAt = performance.now() + ms;
    const client = await pool.connect();
    let cancelling: Promise<void> | null = null;
    let timer = setTimeout(
      function end() {
        cancelling = cancel(client, watchPool);
        // The statement may not have begun when it was cancelled.
        timer = setTimeout(end, AGAIN_MS);
      },
      Math.max(0, endsAt - performance.now()),
    );
    let isSound = false;
    try {
      const result = await (client.query.bind(client) as Query)(...args);
      isSound = true;
      return result;
    } catch (error) {
      if (cancelling === null) throw error;
      const message = 'A statement was cancelled because the time of its request ended.';
      throw new ApiError('deadline_exceeded', { message }, error);
    } finally {
      clearTimeout(timer);
      await cancelling;
      // A late cancellation must not hit the next statement of the connection.
      client.release(!isSound || cancelling !== null);
    }
  }

  pool.query = bounded as Pool['query'];
  return pool;
}

type Query = (...args: unknown[]) => Promise<unknown>;

async function cancel(client: PoolClient, watchPool: Pool): Promise<void> {
  const { processID } = client as PoolClient & { readonly processID: number };
  // If this fails, the statement ends by its timeout.
  await watchPool.query('select pg_cancel_backend($1)', [processID]).catch(() => {});
}
