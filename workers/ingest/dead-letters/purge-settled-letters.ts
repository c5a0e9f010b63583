import type { Pool } from 'pg';

const AT_ONCE = 2_000;

/** Removes letters that were settled before an instant; open ones stay however old they are. @returns how many */
export async function purgeSettledLetters(pool: Pool, olderThan: Date): Promise<number> {
  for (let purged = 0; ; ) {
    const { rowCount } = await pool.query(
      `delete from ingest.dead_letter where id in (
         select id from ingest.dead_letter where state <> 'open' and settled_at < $1 order by settled_at limit $2)`,
      [olderThan, AT_ONCE],
    );
    purged += rowCount ?? 0;
    if ((rowCount ?? 0) < AT_ONCE) return purged;
  }
}
