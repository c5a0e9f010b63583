import type { Client, Pool, PoolClient } from 'pg';

const LOOKS = 20;

/**
 * Ends connections that are held for longer, so that whoever waits for an answer on one is told that it is gone, and the
 * pool opens another: for a server that does not answer at all, and so does not keep to its own time-outs either.
 *
 * One timer does so for all. `query_timeout` of node-pg has one for each statement, and it keeps what was answered from
 * the collector until that sweeps its old generation.
 */
export function endHeld(pool: Pool, longestMs: number): void {
  const takenAt = new Map<PoolClient, number>();
  pool.on('acquire', (client) => takenAt.set(client, performance.now()));
  pool.on('release', (_error, client) => takenAt.set(client, Number.POSITIVE_INFINITY));
  pool.on('remove', (client) => takenAt.delete(client));
  const timer = setInterval(() => {
    if (pool.ended) clearInterval(timer);
    const latest = performance.now() - longestMs;
    for (const [client, at] of takenAt) if (at < latest) void end(client);
  }, longestMs / LOOKS);
  timer.unref();
}

/** Breaks the connection where a statement is under way on it. */
const end = (client: PoolClient): Promise<void> => (client as unknown as Client).end();
