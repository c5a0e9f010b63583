import type { ClientBase } from 'pg';
import {
  byteaArray,
  int2Array,
  int4Array,
  int8Array,
  textArray,
  timestamptzArray,
} from '../../../db/arrays.ts';
import type { Source } from '../../../projections/contracts/contract.ts';
import type { SourceRegistry } from '../../../projections/engine/projection.ts';
import type { PartitionId } from '../apply/position.ts';
import type { IncomingRecord } from '../decode/envelope.ts';
import type { DeadLetterClass, DeadLetterViolation } from './dead-letter.ts';

/** A record that could not be applied, with everything needed to diagnose it and to replay it. */
export interface DeadLetter {
  /** Where it was read: a topic, or a file that counts as one. */
  readonly partition: PartitionId;
  readonly record: IncomingRecord;
  /** Null if the topic names no source. */
  readonly source: Source | null;
  /** The table in the name of the topic or file; null for an unknown topic. */
  readonly table: string | null;
  /** Key and version as in the mirror; null if they could not be read. */
  readonly key: string | null;
  readonly version: string | null;
  readonly class: DeadLetterClass;
  readonly violations: readonly DeadLetterViolation[];
}

const STORE = `
  insert into ingest.dead_letter (source, table_name, topic, partition, record_offset, record_topic, record_key,
    payload, headers, record_time, snapshot_time, class, key, version, epoch, violations)
  select dead.source, table_name, topic, partition, record_offset, record_topic, record_key, payload,
    headers::json, record_time, snapshot_time, class, key,
    -- The worker that decoded it may not know a new epoch yet.
    lpad(to_hex(source.epoch), 8, '0') || substr(version, 9), coalesce(source.epoch, 0), violations::jsonb
  from unnest($1::int2[], $2::text[], $3::text[], $4::int4[], $5::int8[], $6::text[], $7::bytea[], $8::bytea[],
    $9::text[], $10::timestamptz[], $11::timestamptz[], $12::text[], $13::text[], $14::text[], $15::text[])
    as dead (source, table_name, topic, partition, record_offset, record_topic, record_key, payload, headers,
      record_time, snapshot_time, class, key, version, violations)
  left join ingest.source on source.id = dead.source
  order by record_offset
  on conflict (topic, partition, record_offset, record_time) do nothing
  returning dead_letter.id`;

/**
 * Stores records that could not be applied, as open dead letters. A record that is read again is stored once and keeps
 * its state.
 *
 * @returns ids of the new dead letters
 */
export async function storeDeadLetters(
  client: ClientBase,
  deadLetters: readonly DeadLetter[],
  registry: SourceRegistry,
): Promise<number[]> {
  if (deadLetters.length === 0) return [];
  const { rows } = await client.query<{ id: string }>({
    name: 'store-dead-letters',
    text: STORE,
    values: valuesOf(deadLetters, registry),
  });
  return rows.map(({ id }) => Number(id));
}

function valuesOf(deadLetters: readonly DeadLetter[], registry: SourceRegistry): Buffer[] {
  const records = deadLetters.map(({ record }) => record);
  return [
    int2Array(deadLetters.map(({ source }) => (source === null ? null : registry.idOf(source)))),
    textArray(deadLetters.map(({ table }) => storable(table))),
    textArray(deadLetters.map(({ partition }) => partition.topic)),
    int4Array(deadLetters.map(({ partition }) => partition.partition)),
    int8Array(records.map(({ offset }) => offset)),
    textArray(
      deadLetters.map(({ partition, record }) =>
        record.topic === partition.topic ? null : storable(record.topic),
      ),
    ),
    byteaArray(records.map(({ key }) => bytesOf(key))),
    byteaArray(records.map(({ value }) => bytesOf(value))),
    textArray(records.map(({ headers }) => JSON.stringify(headers))),
    timestamptzArray(records.map(({ timestamp }) => storableTime(timestamp))),
    timestamptzArray(records.map(({ snapshotTimeMs }) => snapshotTimeMs ?? null)),
    textArray(deadLetters.map((one) => one.class)),
    textArray(deadLetters.map(({ key }) => key)),
    textArray(deadLetters.map(({ version }) => version)),
    textArray(deadLetters.map(({ violations }) => violationsText(violations))),
  ];
}

/** Violations as JSON text. The name of an unknown column may hold any character. */
export const violationsText = (violations: readonly DeadLetterViolation[]): string =>
  JSON.stringify(violations.map(({ field, reason }) => ({ field: storable(field), reason })));

/** PostgreSQL's text cannot hold U+0000 nor half of a surrogate pair. */
const storable = (text: string | null): string | null =>
  text?.replaceAll('\u0000', '\ufffd').toWellFormed() ?? null;

const bytesOf = (part: string | Buffer | null): Buffer | null =>
  typeof part === 'string' ? Buffer.from(part) : part;

/** The last instant a Date can hold. */
const LAST_MS = 8.64e15;

/** A file may state any number as a record's time. */
const storableTime = (ms: number | null): number | null =>
  ms !== null && Number.isInteger(ms) && ms > 0 && ms <= LAST_MS ? ms : null;
