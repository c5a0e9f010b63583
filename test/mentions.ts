import type { Pool } from 'pg';
import type { Registry } from '../projections/registry.ts';
import { artistPressMentions } from '../projections/sources/archive/artist-press-mentions.ts';
import { decodeRecord, type IncomingRecord } from '../workers/ingest/decode/envelope.ts';
import { type DecodedRecord, ingestBatch } from '../workers/ingest/ingest-batch.ts';
import { rowsOf } from './rows/source-rows.ts';

/** A press mention told by its id and title. */
export const mention = (id: string, title = `title of ${id}`): Record<string, unknown> => ({
  ...rowsOf(artistPressMentions, { mention_id: id, title }).rows[0],
});

export const MENTIONS = artistPressMentions.table;

export interface Streamed {
  readonly op?: 'c' | 'u' | 'd' | 't' | 'tombstone';
  readonly id?: string;
  readonly title?: string;
  /** Place in the producer's log. */
  readonly lsn?: number;
  /** When it happened there, and when its record was made, in milliseconds since 1970. */
  readonly atMs: number;
}

/** A change of a mention as Kafka hands it over. */
export function mentionRecord(
  { op = 'u', id = '', title, lsn = 1, atMs }: Streamed,
  registry: Registry,
): DecodedRecord {
  const after = op === 'c' || op === 'u' ? mention(id, title) : null;
  const source = { ts_ms: atMs, lsn, sequence: `["${lsn}","${lsn}"]` };
  const record: IncomingRecord = {
    topic: `producers.${MENTIONS}`,
    key: op === 't' ? null : JSON.stringify({ mention_id: id }),
    value: op === 'tombstone' ? null : JSON.stringify({ op, before: null, after, source }),
    headers: {},
    offset: lsn,
    timestamp: atMs,
  };
  return { record, decoded: decodeRecord(record, { prefix: 'producers', epoch: registry.epochOf }) };
}

let streams = 0;

/** Applies changes of mentions as one batch of a partition of their own. */
export async function streamMentions(pool: Pool, registry: Registry, ...changes: Streamed[]): Promise<void> {
  const place = { group: `stream ${++streams}`, topic: `producers.${MENTIONS}`, partition: 0 };
  const records = changes.map((change) => mentionRecord(change, registry));
  await ingestBatch(pool, registry, place, records, null, 1_000);
}

/** The titles that the mirror holds, by id; null where a deleted one is remembered. */
export async function storedMentions(pool: Pool): Promise<Record<string, string | null>> {
  const { rows } = await pool.query<{ key: string; title: string | null }>(
    `select key, row::jsonb ->> 'title' as title from ingest.mirror join ingest.source on source.id = mirror.source
     where source.name = $1 order by key`,
    [MENTIONS],
  );
  return Object.fromEntries(rows.map(({ key, title }) => [key, title]));
}

/** Empties the mirror and forgets what was read, so that a test begins anew. */
export async function forgetMentions(pool: Pool): Promise<void> {
  await pool.query(`
    truncate ingest.mirror, ingest.link, ingest.position, ingest.dead_letter, ingest.replacement,
      ingest.replacement_key, projection.mark, operation.audit;
    update ingest.source set truncated_version = null, epoch = 0;`);
}
