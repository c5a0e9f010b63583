import type { Pool } from 'pg';

/** The number of sessions in the database of a pool that wait for a lock. */
export async function lockWaiters(pool: Pool): Promise<number> {
  const { rowCount } = await pool.query(
    `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
  );
  return rowCount ?? 0;
}
