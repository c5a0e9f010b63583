import type { Pool } from 'pg';
import type { Registry } from '../../../projections/engine/registry.ts';
import { ingestBatch } from '../../../workers/ingest/apply/ingest-batch.ts';
import { type DecodedRecord, decodeRecord } from '../../../workers/ingest/decode/envelope.ts';
import type { SnapshotCounts } from '../../../workers/ingest/sweeps/missing-rows.ts';
import { runSweep, type SweepResult } from '../../../workers/ingest/sweeps/run-sweep.ts';
import { readDue } from '../../../workers/ingest/sweeps/sweep.ts';
import type { EmptyNotice } from './debezium-model.ts';
import { MENTIONS } from './mentions.ts';

const TOPIC = 'producers.notifications';

interface Notice {
  readonly type: 'STARTED' | 'TABLE_SCAN_COMPLETED';
  /** The rows of the table of press mentions, once it was read. */
  readonly rows?: number;
  readonly atMs: number;
}

/** A notification of a snapshot as Debezium 3.4 writes it. */
function noticeRecord({ type, rows, atMs }: Notice, offset: number): DecodedRecord {
  const scanned = { scanned_collection: MENTIONS, total_rows_scanned: String(rows), status: 'SUCCEEDED' };
  const data = { connector_name: 'producers', ...(rows === undefined ? {} : scanned) };
  const value = { id: `notice ${offset}`, type, aggregate_type: 'Initial Snapshot', additional_data: data };
  const record = {
    topic: TOPIC,
    key: null,
    value: JSON.stringify({ ...value, timestamp: atMs }),
    headers: {},
    offset,
    timestamp: atMs,
    readFrom: { topic: TOPIC, partition: 0 },
  };
  return { record, decoded: decodeRecord(record, { prefix: 'producers', epoch: () => 0 }) };
}

/** Applies notifications as the whole of their topic. */
export async function readNotices(
  pool: Pool,
  registry: Registry,
  { group, notices }: { readonly group: string; readonly notices: readonly Notice[] },
): Promise<void> {
  const records = notices.map(noticeRecord);
  const topicPartition = { group, topic: TOPIC, partition: 0 };
  await ingestBatch(pool, registry, { topicPartition, records, from: null, to: records.length });
}

/** The notifications of snapshots that found no rows. */
export const noticesOf = (empty: readonly EmptyNotice[]): Notice[] =>
  empty.flatMap(({ takenMs, timestamp }): Notice[] => [
    { type: 'STARTED', atMs: takenMs },
    { type: 'TABLE_SCAN_COMPLETED', rows: 0, atMs: timestamp },
  ]);

/**
 * Sweeps the snapshots that have ended in logs of so many records, as far as the logs have been read.
 *
 * @param objection why nothing may be removed (default: never)
 */
export async function sweepEnded(
  pool: Pool,
  registry: Registry,
  {
    group,
    ends,
    objection = () => null,
  }: {
    readonly group: string;
    /** The length of each partition. */
    readonly ends: readonly number[];
    readonly objection?: (counts: SnapshotCounts) => string | null;
  },
): Promise<SweepResult[]> {
  const logEnds = ends.map((end, partition) => ({ topic: `producers.${MENTIONS}`, partition, end }));
  await pool.query('update ingest.sweep set log_ends = $2 where consumer_group = $1 and log_ends is null', [
    group,
    JSON.stringify(logEnds),
  ]);
  const results: SweepResult[] = [];
  for (const sweep of await readDue(pool, group))
    results.push(await runSweep(pool, registry, sweep, { actor: 'test', action: 'sweep', objection }));
  return results;
}
