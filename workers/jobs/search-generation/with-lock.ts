import type { Pool, PoolClient } from 'pg';

/** Runs `work` under an advisory lock; null if another session holds it. A broken session loses the lock. */
export async function withLock<T>(
  pool: Pool,
  lock: number,
  work: (client: PoolClient) => Promise<T>,
): Promise<T | null> {
  const client = await pool.connect();
  let broken = true;
  try {
    const { rows } = await client.query<{ acquired: boolean }>(
      'select pg_try_advisory_lock($1) as acquired',
      [lock],
    );
    const result = rows[0]?.acquired === true ? await work(client) : null;
    await client.query('select pg_advisory_unlock_all()');
    broken = false;
    return result;
  } finally {
    client.release(broken);
  }
}
