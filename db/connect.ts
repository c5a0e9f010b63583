import { Pool, type PoolConfig } from 'pg';

/** A pool on `url`. Sessions name themselves so that an operator can tell them apart in pg_stat_activity. */
export function connect(url: string, name: string, options: PoolConfig = {}): Pool {
  const pool = new Pool({
    connectionString: url,
    application_name: `linernotes ${name}`,
    keepAlive: true,
    // A process that freezes in a transaction must not hold its locks for ever.
    idle_in_transaction_session_timeout: 60_000,
    ...options,
  });
  // A connection that breaks is replaced on next use, and one in use fails whatever is asked of it next; without a
  // listener either would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}
