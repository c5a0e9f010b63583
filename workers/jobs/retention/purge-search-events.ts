import type { Pool } from 'pg';

const ROWS_AT_ONCE = 10_000;

/** Removes what clients told of searches before `olderThan`. Answers how many events were removed. */
export async function purgeSearchEvents(pool: Pool, olderThan: Date, signal: AbortSignal): Promise<number> {
  let purged = 0;
  for (;;) {
    signal.throwIfAborted();
    const { rowCount } = await pool.query({
      name: 'purge-search-events',
      text: `delete from telemetry.search_event where ctid = any(array(
               select ctid from telemetry.search_event where received_at < $1 limit ${ROWS_AT_ONCE}))`,
      values: [olderThan],
    });
    purged += rowCount ?? 0;
    if ((rowCount ?? 0) < ROWS_AT_ONCE) return purged;
  }
}
