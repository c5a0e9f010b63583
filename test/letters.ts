import type { Pool } from 'pg';
import type { Registry } from '../projections/registry.ts';
import { artistPressMentions } from '../projections/sources/archive/artist-press-mentions.ts';
import type { Source } from '../projections/sources/contract.ts';
import {
  type Decoded,
  type DecodedRecord,
  decodeRecord,
  type IncomingRecord,
} from '../workers/ingest/decode/envelope.ts';
import { ingestBatch } from '../workers/ingest/ingest-batch.ts';
import { rowsOf } from './rows/source-rows.ts';

export const UNCHANGED = '__debezium_unavailable_value';

/** When the change at log position 0 was made; each further position is a second later. */
const FIRST_MS = Date.UTC(2026, 0, 1);
export const timeOf = (lsn: number): number => FIRST_MS + lsn * 1_000;

export interface Told {
  readonly source?: Source;
  readonly op?: 'c' | 'u' | 'd' | 't' | 'tombstone';
  readonly key?: Readonly<Record<string, unknown>>;
  /** Columns that are to differ from the default row. */
  readonly row?: Readonly<Record<string, unknown>>;
  /** Place in the log, and in the partition where that is another. */
  readonly lsn: number;
  readonly offset?: number;
}

/** A change event as Kafka hands it over; of a press mention where no source is given. */
export function changeEvent({
  source = artistPressMentions,
  op = 'u',
  key = {},
  row = {},
  lsn,
  offset = lsn,
}: Told): IncomingRecord {
  const [defaults] = rowsOf(source, {}).rows;
  const after = op === 'c' || op === 'u' ? { ...defaults, ...key, ...row } : null;
  const timeMs = timeOf(lsn);
  const origin = { ts_ms: timeMs, lsn, sequence: `["${lsn}","${lsn}"]` };
  return {
    topic: `producers.${source.table}`,
    key: op === 't' ? null : Buffer.from(JSON.stringify(key)),
    value:
      op === 'tombstone'
        ? null
        : Buffer.from(JSON.stringify({ before: null, after, source: origin, op, ts_ms: timeMs })),
    headers: {},
    offset,
    timestamp: timeMs + 10,
  };
}

/** A press mention's change event, by its id, with its title. */
export const mentionEvent = (
  id: string,
  lsn: number,
  row: Readonly<Record<string, unknown>> = {},
  more: Partial<Told> = {},
): IncomingRecord => changeEvent({ key: { mention_id: id }, row, lsn, ...more });

/** A record as this code decodes it. */
export const decoded = (record: IncomingRecord, registry: Registry): DecodedRecord => ({
  record,
  decoded: decodeRecord(record, { prefix: 'producers', epoch: registry.epochOf }),
});

/** A record as code decodes it whose contract does not allow its title. */
export function refusedOnce(
  record: IncomingRecord,
  registry: Registry,
  unread: 'version' | 'key' | 'source' | null = null,
): DecodedRecord {
  const read = decoded(record, registry).decoded;
  const hasSource = 'source' in read && read.source !== null && unread !== 'source';
  const refused: Decoded = {
    kind: 'refused',
    source: hasSource ? read.source : null,
    table: 'source' in read && read.source !== null ? read.source.table : null,
    key: hasSource && 'key' in read && unread !== 'key' ? read.key : null,
    version:
      hasSource && 'version' in read && read.kind !== 'tombstone' && unread !== 'version'
        ? read.version
        : null,
    violations: hasSource
      ? [{ field: 'title', reason: 'too_long' }]
      : [{ field: 'topic', reason: 'unknown_table' }],
  };
  return { record, decoded: refused };
}

let groups = 0;

/** Ingests records as one batch of one partition, whose position nobody else moves. */
export function ingest(
  pool: Pool,
  registry: Registry,
  records: readonly (DecodedRecord | IncomingRecord)[],
  partition = 0,
): ReturnType<typeof ingestBatch> {
  const read = records.map((record) => ('record' in record ? record : decoded(record, registry)));
  const topic = read[0]?.record.topic ?? '';
  return ingestBatch(pool, registry, { group: `group ${++groups}`, topic, partition }, read, null, 1);
}

/** The letters' states, in the order of partition and offset, as `state@offset`. */
export async function states(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ state: string }>(
    `select state || '@' || record_offset as state from ingest.dead_letter order by partition, record_offset`,
  );
  return rows.map(({ state }) => state);
}

/** The titles that the mirror holds, by key; null for a deleted row. */
export async function titles(pool: Pool): Promise<Record<string, string | null>> {
  const { rows } = await pool.query<{ key: string; title: string | null }>(
    `select key, row::jsonb ->> 'title' as title from ingest.mirror order by key`,
  );
  return Object.fromEntries(rows.map(({ key, title }) => [key, title]));
}

/** Empties all that ingest fills. */
export async function forgetAll(pool: Pool): Promise<void> {
  await pool.query(`
    truncate ingest.mirror, ingest.link, ingest.position, ingest.dead_letter, projection.mark, operation.audit;
    update ingest.source set truncated_version = null, epoch = 0;`);
}
