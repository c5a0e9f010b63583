import type { ClientBase, Pool } from 'pg';
import type { Source } from '../../../projections/contracts/contract.ts';
import { sourceByTable } from '../../../projections/contracts/index.ts';

/**
 * What the workers do with rows that a snapshot lacks: `counted` removes any number of them if the connector counted as
 * many rows as arrived, else at most 5 %; `limited` never more than that; `off` none.
 */
export const SWEEP_MODES = ['counted', 'limited', 'off'] as const;
export type SweepMode = (typeof SWEEP_MODES)[number];

/** A snapshot of a table that has ended. */
export interface Sweep {
  readonly id: number;
  readonly source: Source;
  readonly group: string;
  readonly topic: string;
  readonly connector: string;
  /** The version of its last row. */
  readonly version: string;
  /** The producer's time of the snapshot, which its rows have; null if the table was empty. */
  readonly snapshotTime: Date | null;
  /** The same; of an empty table by the rows of the snapshot's other tables, and null if all were empty. */
  readonly takenAt: Date | null;
  /** The time of the record that ended it. */
  readonly endedAt: Date;
}

/** A sweep that waits for an operator. */
export interface BlockedSweep extends Sweep {
  readonly table: string;
  readonly stored: number;
  readonly missing: number;
  readonly reason: string;
}

/** Whether another sweep is of the same run of a snapshot: no snapshot started between their ends. */
const IS_OF_SAME_SNAPSHOT = `exists (
    select from ingest.snapshot_notice started
    where started.consumer_group = sweep.consumer_group and started.connector = sweep.connector
      and started.table_name is null
    having max(noted_at) filter (where noted_at <= sweep.ended_at)
      = max(noted_at) filter (where noted_at <= other.ended_at))`;

const COLUMNS = `sweep.id, source.name as table, consumer_group as "group", topic, sweep.connector, version,
  snapshot_time as "snapshotTime", ended_at as "endedAt", coalesce(snapshot_time, (
    select min(other.snapshot_time) from ingest.sweep other
    where other.consumer_group = sweep.consumer_group and other.connector = sweep.connector
      and other.snapshot_time <= sweep.ended_at and ${IS_OF_SAME_SNAPSHOT}
  )) as "takenAt"`;

type SweepRow = Omit<Sweep, 'source'> & { readonly table: string };

/** Sources that this release does not know are left alone. */
const known = <T extends SweepRow>(rows: readonly T[]): (T & { readonly source: Source })[] =>
  rows.flatMap((row) => {
    const source = sourceByTable.get(row.table);
    return source === undefined ? [] : [{ ...row, source }];
  });

/** Those whose logs have been read past everything that was written when the snapshot had ended, the oldest first. */
export async function readDue(pool: Pool, group: string): Promise<Sweep[]> {
  const { rows } = await pool.query<SweepRow>({
    name: 'due-sweeps',
    text: `select ${COLUMNS} from ingest.sweep join ingest.source on source.id = sweep.source
           where consumer_group = $1 and state = 'waiting' and log_ends is not null and not exists (
             select from jsonb_to_recordset(log_ends) as log (topic text, partition integer, "end" bigint)
               left join ingest.position on position.consumer_group = sweep.consumer_group
                 and position.topic = log.topic and position.partition = log.partition
             where coalesce(next_offset, 0) < log."end")
           order by ended_at, sweep.id`,
    values: [group],
  });
  return known(rows);
}

/** The newest first. @param source default: all */
export async function listBlocked(db: Pool | ClientBase, source?: Source): Promise<BlockedSweep[]> {
  const { rows } = await db.query<Omit<BlockedSweep, 'source'>>(
    `select ${COLUMNS}, stored::float8 as stored, missing::float8 as missing, reason
     from ingest.sweep join ingest.source on source.id = sweep.source
     where state = 'blocked' and name = coalesce($1, name) order by ended_at desc, sweep.id desc`,
    [source?.table ?? null],
  );
  return known(rows);
}

export interface Settlement {
  readonly state: 'blocked' | 'done' | 'dismissed';
  readonly reason?: string | null;
  readonly counts?: { readonly stored: number; readonly missing: number } | undefined;
}

/** Ends or blocks a sweep. A newer snapshot of the table makes older ones that are blocked pointless. */
export async function settle(
  db: Pool | ClientBase,
  sweep: Sweep,
  { state, reason = null, counts }: Settlement,
): Promise<void> {
  await db.query(
    `update ingest.sweep set state = $2, reason = $3, settled_at = now(), stored = coalesce($4, stored),
       missing = coalesce($5, missing) where id = $1`,
    [sweep.id, state, reason, counts?.stored ?? null, counts?.missing ?? null],
  );
  if (state === 'dismissed') return;
  await db.query(
    `update ingest.sweep older set state = 'dismissed', reason = 'a newer snapshot has ended', settled_at = now()
     from ingest.sweep newer
     where newer.id = $1 and older.id <> newer.id and older.state = 'blocked' and older.source = newer.source
       and older.consumer_group = newer.consumer_group and older.topic = newer.topic
       and older.ended_at <= newer.ended_at`,
    [sweep.id],
  );
}

/** Deletes what ended before an instant. @returns how many sweeps */
export async function purgeSweeps(pool: Pool, before: Date): Promise<number> {
  await pool.query('delete from ingest.snapshot_notice where noted_at < $1', [before]);
  const { rowCount } = await pool.query(
    `delete from ingest.sweep where state in ('done', 'dismissed') and settled_at < $1`,
    [before],
  );
  return rowCount ?? 0;
}
