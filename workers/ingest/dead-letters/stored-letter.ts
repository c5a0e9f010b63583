import type { ClientBase } from 'pg';
import { int8Array } from '../../../db/arrays.ts';
import { LOCKS } from '../../../db/locks.ts';
import { sourceByTable } from '../../../projections/sources/index.ts';
import {
  type DecodeContext,
  type Decoded,
  type DecodedRecord,
  decodeRecord,
  decodeSnapshotLine,
  type IncomingRecord,
} from '../decode/envelope.ts';

/** An open letter as far as it takes to send it again. */
export interface StoredLetter {
  readonly id: number;
  readonly table: string | null;
  readonly place: { readonly topic: string; readonly partition: number };
  readonly record: IncomingRecord;
  /** The epoch of its source when it was read. */
  readonly epoch: number;
}

interface LetterRow {
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

const COLUMNS = `
  letter.id, table_name, topic, partition, record_offset, record_topic, record_key, payload, headers,
  (extract(epoch from record_time) * 1000)::float8 as record_time_ms,
  (extract(epoch from snapshot_time) * 1000)::float8 as snapshot_time_ms, epoch`;

/** The open letters of the given ids, in their order. */
export async function readLetters(client: ClientBase, ids: readonly number[]): Promise<StoredLetter[]> {
  const { rows } = await client.query<LetterRow>({
    name: 'read-letters',
    text: `select ${COLUMNS} from ingest.dead_letter letter where id = any($1::int8[]) and state = 'open'`,
    values: [int8Array(ids)],
  });
  return inOrder(rows, ids);
}

/**
 * The same, held until the transaction ends. Letters that someone else holds are left out, and with them all of the same
 * key, so that no two replays can turn the order of a key around.
 */
export async function claimLetters(client: ClientBase, ids: readonly number[]): Promise<StoredLetter[]> {
  const { rows } = await client.query<LetterRow>({
    name: 'claim-letters',
    text: `
      with asked as materialized (
        select id, key is null or pg_try_advisory_xact_lock($2, hashtext(source || ' ' || key)) as is_free
        from ingest.dead_letter where id = any($1::int8[]))
      select ${COLUMNS} from ingest.dead_letter letter join asked using (id)
      where is_free and state = 'open'
      for update of letter skip locked`,
    values: [int8Array(ids), LOCKS.replay],
  });
  return inOrder(rows, ids);
}

function inOrder(rows: readonly LetterRow[], ids: readonly number[]): StoredLetter[] {
  const byId = new Map(rows.map((row) => [Number(row.id), row]));
  return ids.flatMap((id) => {
    const row = byId.get(id);
    return row === undefined ? [] : [letterOf(row)];
  });
}

function letterOf(row: LetterRow): StoredLetter {
  const { topic, partition, epoch, snapshot_time_ms } = row;
  const record: IncomingRecord = {
    topic: row.record_topic ?? topic,
    key: row.record_key,
    value: row.payload,
    headers: row.headers,
    offset: Number(row.record_offset),
    timestamp: row.record_time_ms,
    ...(snapshot_time_ms === null ? {} : { snapshotTimeMs: snapshot_time_ms }),
  };
  return { id: Number(row.id), table: row.table_name, place: { topic, partition }, record, epoch };
}

/** Decodes a letter as it was decoded when it was read, by the contracts that this code knows. */
export function decodeLetter({ table, record, epoch }: StoredLetter): DecodedRecord {
  const context: DecodeContext = { prefix: '', epoch: () => epoch };
  const source = sourceByTable.get(table ?? '');
  if (source !== undefined && record.snapshotTimeMs !== undefined) {
    const decoded = decodeSnapshotLine(source, record, context, record.snapshotTimeMs);
    return { record, decoded };
  }
  // What came before the table in the topic has done its part: it told that the topic is ours.
  const topic = table === null ? '' : `.${table}`;
  return { record, decoded: withRecordTime(decodeRecord({ ...record, topic }, context), record.timestamp) };
}

const withRecordTime = (decoded: Decoded, recordTimeMs: number | null): Decoded =>
  decoded.kind === 'upsert' && recordTimeMs !== null ? { ...decoded, recordTimeMs } : decoded;
