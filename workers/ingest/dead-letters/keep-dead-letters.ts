import type { ClientBase } from 'pg';
import {
  byteaArray,
  int2Array,
  int4Array,
  int8Array,
  textArray,
  timestamptzArray,
} from '../../../db/arrays.ts';
import type { SourceRegistry } from '../../../projections/projection.ts';
import type { Source } from '../../../projections/sources/contract.ts';
import type { IncomingRecord } from '../decode/envelope.ts';
import type { LetterClass, LetterViolation } from './letter-class.ts';

/** A record that could not be applied, with all that is needed to judge it and to send it again. */
export interface DeadLetter {
  /** Where it was read: a topic, or a file that counts as one. */
  readonly place: { readonly topic: string; readonly partition: number };
  readonly record: IncomingRecord;
  /** Null where the topic names no source. */
  readonly source: Source | null;
  /** The table that the topic or the file names; null where it is none of ours. */
  readonly table: string | null;
  /** Key and version as the mirror would have them; null where they could not be read. */
  readonly key: string | null;
  readonly version: string | null;
  readonly class: LetterClass;
  readonly violations: readonly LetterViolation[];
}

const KEEP = `
  insert into ingest.dead_letter (source, table_name, topic, partition, record_offset, record_topic, record_key,
    payload, headers, record_time, snapshot_time, class, key, version, epoch, violations)
  select letter.source, table_name, topic, partition, record_offset, record_topic, record_key, payload,
    headers::json, record_time, snapshot_time, class, key,
    -- Whoever decoded it may not have heard of a new epoch yet.
    lpad(to_hex(source.epoch), 8, '0') || substr(version, 9), coalesce(source.epoch, 0), violations::jsonb
  from unnest($1::int2[], $2::text[], $3::text[], $4::int4[], $5::int8[], $6::text[], $7::bytea[], $8::bytea[],
    $9::text[], $10::timestamptz[], $11::timestamptz[], $12::text[], $13::text[], $14::text[], $15::text[])
    as letter (source, table_name, topic, partition, record_offset, record_topic, record_key, payload, headers,
      record_time, snapshot_time, class, key, version, violations)
  left join ingest.source on source.id = letter.source
  order by record_offset
  on conflict (topic, partition, record_offset, record_time) do nothing
  returning dead_letter.id`;

/**
 * Keeps records that could not be applied, open until they are settled. A record read again is kept once and stays
 * as settled as it was.
 *
 * @returns ids of the letters that are new
 */
export async function keepDeadLetters(
  client: ClientBase,
  letters: readonly DeadLetter[],
  registry: SourceRegistry,
): Promise<number[]> {
  if (letters.length === 0) return [];
  const { rows } = await client.query<{ id: string }>({
    name: 'keep-dead-letters',
    text: KEEP,
    values: valuesOf(letters, registry),
  });
  return rows.map(({ id }) => Number(id));
}

function valuesOf(letters: readonly DeadLetter[], registry: SourceRegistry): Buffer[] {
  const records = letters.map(({ record }) => record);
  return [
    int2Array(letters.map(({ source }) => (source === null ? null : registry.idOf(source)))),
    textArray(letters.map(({ table }) => storable(table))),
    textArray(letters.map(({ place }) => place.topic)),
    int4Array(letters.map(({ place }) => place.partition)),
    int8Array(records.map(({ offset }) => offset)),
    textArray(
      letters.map(({ place, record }) => (record.topic === place.topic ? null : storable(record.topic))),
    ),
    byteaArray(records.map(({ key }) => bytesOf(key))),
    byteaArray(records.map(({ value }) => bytesOf(value))),
    textArray(records.map(({ headers }) => JSON.stringify(headers))),
    timestamptzArray(records.map(({ timestamp }) => storableTime(timestamp))),
    timestamptzArray(records.map(({ snapshotTimeMs }) => snapshotTimeMs ?? null)),
    textArray(letters.map((letter) => letter.class)),
    textArray(letters.map(({ key }) => key)),
    textArray(letters.map(({ version }) => version)),
    textArray(letters.map(({ violations }) => violationsText(violations))),
  ];
}

/** Violations as JSON text; the name of a column that no contract knows may hold anything. */
export const violationsText = (violations: readonly LetterViolation[]): string =>
  JSON.stringify(violations.map(({ field, reason }) => ({ field: storable(field), reason })));

/** PostgreSQL's text cannot hold U+0000 nor half of a surrogate pair. */
const storable = (text: string | null): string | null =>
  text?.replaceAll('\u0000', '\ufffd').toWellFormed() ?? null;

const bytesOf = (part: string | Buffer | null): Buffer | null =>
  typeof part === 'string' ? Buffer.from(part) : part;

/** The last instant that a Date holds. */
const LAST_MS = 8.64e15;

/** A file may state any number for a record's time. */
const storableTime = (ms: number | null): number | null =>
  ms !== null && Number.isInteger(ms) && ms > 0 && ms <= LAST_MS ? ms : null;
