import type { Pool } from 'pg';
import type { Registry } from '../../../projections/engine/registry.ts';
import type { SeenRow } from '../apply/mirror.ts';
import { FILE_GROUPS } from '../apply/position.ts';
import { PAGE } from '../snapshots/replace-missing.ts';
import type { Sweep } from './sweep.ts';

/** The clocks of the producer's database and of its connector may differ by so much. */
const CLOCK_SKEW = `interval '1 minute'`;

/** From when on a dead letter may be a row of the snapshot, or newer. */
const SINCE = `(least($3::timestamptz, $5::timestamptz) - ${CLOCK_SKEW})`;

/** A row that the snapshot brought, or a key that it brought and that was deleted since. */
const IS_BROUGHT = `(right(version, 1) = 'r' and left(version, 40) = left($2, 40) and source_time = $3::timestamptz)`;
const IS_OF_TOPIC = `(length(version) > 41 and substr(version, 42, 4) = substr($2, 42, 4))`;

/**
 * A row that was committed and read before the snapshot, and that it did not bring. The commit is by the clock of the
 * producer's database, like the snapshot; if only the notification's time is known, by that of the connector. A row that
 * does not say where it was read, from a file or an earlier release, counts if no other topic has the table.
 */
const IS_MISSING = `(row is not null and case
    when not ${IS_OF_TOPIC} then length(version) = 41 and source_time < coalesce($6::timestamptz, $5::timestamptz) and $4::boolean
    when $3::timestamptz is not null then source_time <= $3::timestamptz and not ${IS_BROUGHT} and ingest.compare_versions(version, $2) < 0
    when $6::timestamptz is not null then source_time < $6::timestamptz
    else source_time < $5::timestamptz and ingest.compare_versions(version, $2) < 0 end
  and not exists (
    select from ingest.dead_letter dead where dead.source = mirror.source and dead.key = mirror.key and dead.state = 'open'
      and (dead.record_time is null or dead.record_time >= ${SINCE})))`;

async function valuesOf(pool: Pool, registry: Registry, sweep: Sweep): Promise<unknown[]> {
  const { source, topic, version, snapshotTime, endedAt, takenAt } = sweep;
  const { rows } = await pool.query<{ others: boolean }>(
    `select exists (select from ingest.position
       where consumer_group <> all($1) and topic <> $2 and right(topic, length($3) + 1) = '.' || $3) as others`,
    [FILE_GROUPS, topic, source.table],
  );
  const isOnlyTopic = rows[0]?.others === false;
  return [registry.idOf(source), version, snapshotTime, isOnlyTopic, endedAt, takenAt];
}

/** What the stored rows and dead letters of a table say of a snapshot. */
export interface SnapshotCounts {
  /** Rows of the table here, and those that the snapshot lacks. */
  readonly stored: number;
  readonly missing: number;
  /** Rows that it brought and that have not changed since. */
  readonly brought: number;
  /** Keys that have changed since; the snapshot may have brought them. */
  readonly changed: number;
  /** Open dead letters that may be rows of the snapshot: their keys, and those without a readable key. */
  readonly rejected: number;
  readonly unreadable: number;
  /** What the connector counted; null if it did not say. */
  readonly expected: number | null;
  /** When the first of its rows that are still here was written to the log; null without one. */
  readonly since: Date | null;
}

const COUNT = `
  select count(*) filter (where row is not null)::float8 as stored,
    count(*) filter (where ${IS_MISSING})::float8 as missing,
    count(*) filter (where ${IS_OF_TOPIC} and ${IS_BROUGHT})::float8 as brought,
    count(*) filter (where ${IS_OF_TOPIC} and not coalesce(${IS_BROUGHT}, false)
      and ingest.compare_versions(version, $2) > 0)::float8 as changed,
    to_timestamp(min(ingest.version_time(version)) filter (where ${IS_OF_TOPIC} and ${IS_BROUGHT}) / 1000.0) as since
  from ingest.mirror where source = $1`;

const REJECTED = `
  select count(distinct key)::float8 as rejected, (count(*) filter (where key is null))::float8 as unreadable
  from ingest.dead_letter
  where source = $1 and topic = $2 and state = 'open'
    and (record_time is null or record_time >= least($3::timestamptz, $4::timestamptz) - ${CLOCK_SKEW})
    and (key is not null or record_time is null or record_time <= $4)`;

/** The count of the table that the connector reported between the start of this snapshot and that of the next. */
const EXPECTED = `
  with started as (
    select max(noted_at) filter (where noted_at <= $4) as this, min(noted_at) filter (where noted_at > $4) as next
    from ingest.snapshot_notice
    where consumer_group = $1 and connector = $2 and table_name is null
  )
  select row_count::float8 as expected from ingest.snapshot_notice cross join started
  where consumer_group = $1 and connector = $2 and table_name = $3 and noted_at >= this
    and (next is null or noted_at < next)
  order by noted_at desc limit 1`;

export async function countMissing(pool: Pool, registry: Registry, sweep: Sweep): Promise<SnapshotCounts> {
  const { source, topic, group, connector, snapshotTime, endedAt } = sweep;
  type Counted = Pick<SnapshotCounts, 'stored' | 'missing' | 'brought' | 'changed' | 'since'>;
  const { rows } = await pool.query<Counted>(COUNT, await valuesOf(pool, registry, sweep));
  const rejected = await pool.query<Pick<SnapshotCounts, 'rejected' | 'unreadable'>>(REJECTED, [
    ...[registry.idOf(source), topic, snapshotTime, endedAt],
  ]);
  const expected = await pool.query<{ expected: number }>(EXPECTED, [
    ...[group, connector, source.table, endedAt],
  ]);
  const [counted, dead] = [rows[0], rejected.rows[0]];
  if (counted === undefined || dead === undefined) throw new Error('the database counted nothing');
  return { ...counted, ...dead, expected: expected.rows[0]?.expected ?? null };
}

/** A page of the rows that a snapshot lacks, by key. */
export async function missingRows(
  pool: Pool,
  registry: Registry,
  { sweep, from }: { readonly sweep: Sweep; readonly from: string },
): Promise<SeenRow[]> {
  const values = await valuesOf(pool, registry, sweep);
  const { rows } = await pool.query<SeenRow>(
    `select key, version from ingest.mirror where source = $1 and key >= $7 and ${IS_MISSING}
     order by key limit ${PAGE}`,
    [...values, from],
  );
  return rows;
}
