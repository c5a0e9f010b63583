import { Type } from '@sinclair/typebox';
import type { Pool } from 'pg';
import { retireVersions } from '../../projections/engine/store/retire.ts';
import { MOVED_DAYS, purgeMovedRows } from '../ingest/apply/moved-rows.ts';
import { FILE_GROUPS } from '../ingest/apply/position.ts';
import { purgeSettledDeadLetters } from '../ingest/dead-letters/discard-dead-letters.ts';
import { TOMBSTONE_DAYS } from '../ingest/snapshots/outdated.ts';
import { purgeReplacements } from '../ingest/snapshots/replace-missing.ts';
import { purgeRemovedRows, UNDO_DAYS } from '../ingest/snapshots/undo-replacement.ts';
import { purgeSweeps } from '../ingest/sweeps/sweep.ts';
import { defineJob } from './define-job.ts';

const DAY_MS = 86_400_000;
const DEAD_LETTER_DAYS = 90;
const POSITION_DAYS = 90;
const SEARCH_EVENT_DAYS = 90;
/** For this long a rollback can restore a replaced version. */
const VERSION_DAYS = 7;
/** Pages of the mirror that one transaction purges, 16 MB. */
const MIRROR_PAGES = 2_048;
/** Search events that one transaction purges. */
const SEARCH_EVENTS = 10_000;

const daysAgo = (days: number): Date => new Date(Date.now() - days * DAY_MS);

/** Removes data whose retention period is over. */
export const retention = defineJob({
  name: 'retention',
  schedule: '17 3 * * *',
  attempts: 5,
  backoff: 60_000,
  timeout: 6 * 3_600_000,
  data: Type.Object({}, { additionalProperties: false }),
  async run({ pool, signal }) {
    const tombstones = await purgeTombstones(pool, daysAgo(TOMBSTONE_DAYS), signal);
    const deadLetters = await purgeSettledDeadLetters(pool, daysAgo(DEAD_LETTER_DAYS));
    const positions = await purgePositions(pool, daysAgo(POSITION_DAYS));
    const replacements = await purgeReplacements(pool, daysAgo(POSITION_DAYS));
    const removedRows = await purgeRemovedRows(pool, daysAgo(UNDO_DAYS), signal);
    const sweeps = await purgeSweeps(pool, daysAgo(POSITION_DAYS));
    const movedRows = await purgeMovedRows(pool, daysAgo(MOVED_DAYS), signal);
    const searchEvents = await purgeSearchEvents(pool, daysAgo(SEARCH_EVENT_DAYS), signal);
    signal.throwIfAborted();
    const retired = await retireVersions(pool, { olderThan: daysAgo(VERSION_DAYS) });
    return {
      tombstones,
      deadLetters,
      positions,
      replacements,
      removedRows,
      sweeps,
      movedRows,
      searchEvents,
      versions: retired.length,
    };
  },
});

/**
 * Removes the tombstones of rows that were deleted before `olderThan`; until then an older version of the row may still
 * arrive. Walks the table by its pages, because an index of deleted rows would slow down every write. A row that
 * returns meanwhile stays. Returns the number of removed tombstones.
 */
export async function purgeTombstones(pool: Pool, olderThan: Date, signal: AbortSignal): Promise<number> {
  const { rows } = await pool.query<{ pages: string }>(
    `select pg_relation_size('ingest.mirror') / current_setting('block_size')::bigint as pages`,
  );
  const pages = Number(rows[0]?.pages);
  let purged = 0;
  for (let page = 0; page < pages; page += MIRROR_PAGES) {
    signal.throwIfAborted();
    const { rowCount } = await pool.query({
      name: 'purge-tombstones',
      text: `delete from ingest.mirror
             where ctid >= $1::tid and ctid < $2::tid and row is null and applied_at < $3`,
      values: [`(${page},0)`, `(${page + MIRROR_PAGES},0)`, olderThan],
    });
    purged += rowCount ?? 0;
  }
  return purged;
}

/**
 * Removes positions in files that another file of the same name has replaced and that no load has moved since
 * `olderThan`. The newest position of a name always stays, so that its file is not loaded again: that would restore rows
 * deleted since. Returns the number of removed positions.
 */
async function purgePositions(pool: Pool, olderThan: Date): Promise<number> {
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

/** Removes the search events that clients reported before `olderThan`. Returns the number of removed events. */
async function purgeSearchEvents(pool: Pool, olderThan: Date, signal: AbortSignal): Promise<number> {
  let purged = 0;
  for (;;) {
    signal.throwIfAborted();
    const { rowCount } = await pool.query({
      name: 'purge-search-events',
      text: `delete from telemetry.search_event where ctid = any(array(
               select ctid from telemetry.search_event where received_at < $1 limit ${SEARCH_EVENTS}))`,
      values: [olderThan],
    });
    purged += rowCount ?? 0;
    if ((rowCount ?? 0) < SEARCH_EVENTS) return purged;
  }
}
