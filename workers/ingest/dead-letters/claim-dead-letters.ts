import type { ClientBase } from 'pg';
import { int8Array } from '../../../db/arrays.ts';
import { LOCKS } from '../../../db/locks.ts';
import { sourceByTable } from '../../../projections/contracts/index.ts';
import type { PartitionId } from '../apply/position.ts';
import {
  type DecodeContext,
  type Decoded,
  decodeRecord,
  decodeSnapshotLine,
  type IncomingRecord,
} from '../decode/envelope.ts';
import type { KnownSchemas } from '../schemas/message-schema.ts';

/** An open dead letter that this transaction has locked. */
export interface ClaimedDeadLetter {
  readonly id: number;
  readonly table: string | null;
  readonly partition: PartitionId;
  readonly record: IncomingRecord;
  /** The epoch of its source when it was read. */
  readonly epoch: number;
}

interface DeadLetterRow {
  readonly id: string;
  readonly table_name: string | null;
  readonly topic: string;
  readonly partition: number;
  readonly record_offset: string;
  readonly record_topic: string | null;
  readonly record_key: Buffer | null;
  readonly payload: Buffer | null;
  readonly headers: Record<string, string>;
  readonly record_time_ms: number | null;
  readonly snapshot_time_ms: number | null;
  readonly epoch: number;
}

/**
 * The open dead letters among the ids, in their order, locked until the transaction ends. It leaves out those that
 * another session has locked, and with them all of the same key: two replays must not reverse the order of a key.
 */
export async function claimDeadLetters(
  client: ClientBase,
  ids: readonly number[],
): Promise<ClaimedDeadLetter[]> {
  const { rows } = await client.query<DeadLetterRow>({
    name: 'claim-dead-letters',
    text: `
      with wanted as materialized (
        select id, key is null or pg_try_advisory_xact_lock($2, hashtext(source || ' ' || key)) as is_free
        from ingest.dead_letter where id = any($1::int8[]))
      select dead.id, table_name, topic, partition, record_offset, record_topic, record_key, payload, headers,
        (extract(epoch from record_time) * 1000)::float8 as record_time_ms,
        (extract(epoch from snapshot_time) * 1000)::float8 as snapshot_time_ms, epoch
      from ingest.dead_letter dead join wanted using (id)
      where is_free and state = 'open'
      for update of dead skip locked`,
    values: [int8Array(ids), LOCKS.replay],
  });
  const byId = new Map(rows.map((row) => [Number(row.id), row]));
  return ids.flatMap((id) => {
    const row = byId.get(id);
    return row === undefined ? [] : [claimedOf(row)];
  });
}

function claimedOf(row: DeadLetterRow): ClaimedDeadLetter {
  const { topic, partition, epoch, snapshot_time_ms } = row;
  const record: IncomingRecord = {
    topic: row.record_topic ?? topic,
    key: row.record_key,
    value: row.payload,
    headers: row.headers,
    offset: Number(row.record_offset),
    timestamp: row.record_time_ms,
    ...(snapshot_time_ms === null
      ? { readFrom: { topic, partition } }
      : { snapshotTimeMs: snapshot_time_ms }),
  };
  return { id: Number(row.id), table: row.table_name, partition: { topic, partition }, record, epoch };
}

/** Decodes a dead letter with the contracts of this release, in the context in which it was read. */
export function decodeDeadLetter(
  { table, record, epoch }: ClaimedDeadLetter,
  schemas: KnownSchemas,
): Decoded {
  const context: DecodeContext = { prefix: '', epoch: () => epoch, schemas };
  const source = sourceByTable.get(table ?? '');
  if (source !== undefined && record.snapshotTimeMs !== undefined)
    return decodeSnapshotLine(source, record, { ...context, timeMs: record.snapshotTimeMs });
  // Only the table matters: the topic's prefix was checked when the record was read.
  const topic = table === null ? '' : `.${table}`;
  const decoded = decodeRecord({ ...record, topic }, context);
  return decoded.kind === 'upsert' && record.timestamp !== null
    ? { ...decoded, recordTimeMs: record.timestamp }
    : decoded;
}
