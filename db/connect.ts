import { Pool, type PoolConfig } from 'pg';

/** A pool on `url`. Sessions name themselves so that an operator can tell them apart in pg_stat_activity. */
export function connect(url: string, name: string, options: PoolConfig = {}): Pool {
  const pool = new Pool({
    connectionString: url,
    application_name: `linernotes ${name}`,
    ...options,
  });
  // An idle connection that breaks is replaced on next use; without a listener it would end the process.
  pool.on('error', () => {});
  return pool;
}
