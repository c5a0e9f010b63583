import type { Pool } from 'pg';

/** Pages of the table in one transaction, 16 MB. */
const PAGES = 2_048;

/**
 * Removes what is left of deleted rows that were deleted before `olderThan`. A deleted row has to stay for as long as
 * an older version of it may still arrive. Walks the table by its pages, because an index over deleted rows alone
 * would slow down every write. A row that comes back meanwhile stays. Answers how many were removed.
 */
export async function purgeTombstones(pool: Pool, olderThan: Date, signal: AbortSignal): Promise<number> {
  const { rows } = await pool.query<{ pages: string }>(
    `select pg_relation_size('ingest.mirror') / current_setting('block_size')::bigint as pages`,
  );
  const pages = Number(rows[0]?.pages);
  let purged = 0;
  for (let page = 0; page < pages; page += PAGES) {
    signal.throwIfAborted();
    const { rowCount } = await pool.query({
      name: 'purge-tombstones',
      text: `delete from ingest.mirror
             where ctid >= $1::tid and ctid < $2::tid and row is null and applied_at < $3`,
      values: [`(${page},0)`, `(${page + PAGES},0)`, olderThan],
    });
    purged += rowCount ?? 0;
  }
  return purged;
}
