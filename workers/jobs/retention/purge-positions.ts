import type { Pool } from 'pg';
import { FILE_GROUPS } from '../../ingest/apply/position.ts';

/**
 * Removes positions in files that another file of the same name has replaced and that nobody has read since
 * `olderThan`. The newest of a name stays for ever: it is why a file that is still there is not loaded again, when
 * rows of it that were deleted since would come back. Answers how many were removed.
 */
export async function purgePositions(pool: Pool, olderThan: Date): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from ingest.position replaced
     where consumer_group = any($1) and moved_at < $2 and exists (
       select from ingest.position newer
       where newer.consumer_group = replaced.consumer_group and newer.moved_at > replaced.moved_at
         and split_part(newer.topic, '#', 1) = split_part(replaced.topic, '#', 1)
         and split_part(newer.topic, '#', 2) <> split_part(replaced.topic, '#', 2)
     )`,
    [FILE_GROUPS, olderThan],
  );
  return rowCount ?? 0;
}
