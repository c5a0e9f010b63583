import type { Client, Pool, PoolClient } from 'pg';

const CHECKS_PER_LIMIT = 20;

/**
 * Ends connections that are in use for longer than `longestMs`: their statements fail, and the pool opens others. This is
 * for a server that does not respond at all and so ignores its own time-outs.
 *
 * One timer serves all connections. `query_timeout` of node-pg starts one per statement, which keeps results in memory
 * until the collector sweeps its old generation.
 */
export function endStuckConnections(pool: Pool, longestMs: number): void {
  const acquiredAt = new Map<PoolClient, number>();
  pool.on('acquire', (client) => acquiredAt.set(client, performance.now()));
  pool.on('release', (_error, client) => acquiredAt.set(client, Number.POSITIVE_INFINITY));
  pool.on('remove', (client) => acquiredAt.delete(client));
  const timer = setInterval(() => {
    if (pool.ended) clearInterval(timer);
    const latest = performance.now() - longestMs;
    for (const [client, at] of acquiredAt) if (at < latest) void end(client);
  }, longestMs / CHECKS_PER_LIMIT);
  timer.unref();
}

/** Breaks the connection even while a statement is in flight. */
const end = (client: PoolClient): Promise<void> => (client as unknown as Client).end();
