import type { Pool } from 'pg';
import { artistPressMentions } from '../../../projections/contracts/archive/artist-press-mentions.ts';
import type { Source } from '../../../projections/contracts/contract.ts';
import type { Registry } from '../../../projections/engine/registry.ts';
import { ingestBatch } from '../../../workers/ingest/apply/ingest-batch.ts';
import {
  type Decoded,
  type DecodedRecord,
  decodeRecord,
  type IncomingRecord,
} from '../../../workers/ingest/decode/envelope.ts';
import { rowsOf } from '../rows/source-rows.ts';

export const UNCHANGED = '__debezium_unavailable_value';

/** The time of the change at log position 0; each further position is a second later. */
const FIRST_MS = Date.UTC(2026, 0, 1);
export const eventTime = (lsn: number): number => FIRST_MS + lsn * 1_000;

export interface EventFields {
  readonly source?: Source;
  readonly op?: 'c' | 'u' | 'd' | 't' | 'tombstone';
  readonly key?: Readonly<Record<string, unknown>>;
  /** Columns that differ from the default row. */
  readonly row?: Readonly<Record<string, unknown>>;
  /** Position in the log; the default of the offset. */
  readonly lsn: number;
  readonly offset?: number;
  /** Time of the change in milliseconds since 1970 (default: that of its log position). */
  readonly timeMs?: number;
}

/** A change event as a Kafka record; of a press mention by default. */
export function changeRecord({
  source = artistPressMentions,
  op = 'u',
  key = {},
  row = {},
  lsn,
  offset = lsn,
  timeMs = eventTime(lsn),
}: EventFields): IncomingRecord {
  const [defaults] = rowsOf(source, {}).rows;
  const after = op === 'c' || op === 'u' ? { ...defaults, ...key, ...row } : null;
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
export const mentionChange = (
  id: string,
  lsn: number,
  row: Readonly<Record<string, unknown>> = {},
  more: Partial<EventFields> = {},
): IncomingRecord => changeRecord({ key: { mention_id: id }, row, lsn, ...more });

/** A record as this release decodes it. */
export const decodedRecord = (record: IncomingRecord, registry: Registry): DecodedRecord => ({
  record,
  decoded: decodeRecord(record, { prefix: 'producers', epoch: registry.epochOf }),
});

/** A record as a release decodes it whose contract does not allow its title. */
export function rejectedOnce(
  record: IncomingRecord,
  registry: Registry,
  unread: 'version' | 'key' | 'source' | null = null,
): DecodedRecord {
  const read = decodedRecord(record, registry).decoded;
  const hasSource = 'source' in read && read.source !== null && unread !== 'source';
  const rejected: Decoded = {
    kind: 'rejected',
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
  return { record, decoded: rejected };
}

let groups = 0;

/** Ingests records as one batch of a partition of their own. */
export function ingest(
  pool: Pool,
  registry: Registry,
  records: readonly (DecodedRecord | IncomingRecord)[],
  { partition = 0 }: { readonly partition?: number } = {},
): ReturnType<typeof ingestBatch> {
  const read = records.map((record) => ('record' in record ? record : decodedRecord(record, registry)));
  const topic = read[0]?.record.topic ?? '';
  return ingestBatch(pool, registry, {
    topicPartition: { group: `group ${++groups}`, topic, partition },
    records: read,
    from: null,
    to: 1,
  });
}

/** The states of dead letters by partition and offset, as `state@offset`. */
export async function states(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ state: string }>(
    `select state || '@' || record_offset as state from ingest.dead_letter order by partition, record_offset`,
  );
  return rows.map(({ state }) => state);
}

/** Empties all tables of ingest. */
export async function clearIngest(pool: Pool): Promise<void> {
  await pool.query(`
    truncate ingest.mirror, ingest.link, ingest.position, ingest.dead_letter, ingest.record_count, ingest.removed_row, ingest.moved_row, ingest.replacement,
      ingest.replacement_key, ingest.source_column, ingest.column_change, ingest.sweep, ingest.snapshot_notice,
      projection.mark, operation.audit;
    update ingest.source set truncated_version = null, epoch = 0, columns_position = null;`);
}
