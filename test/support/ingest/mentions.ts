import type { Pool } from 'pg';
import { artistPressMentions } from '../../../projections/contracts/archive/artist-press-mentions.ts';
import type { Registry } from '../../../projections/engine/registry.ts';
import { ingestBatch } from '../../../workers/ingest/apply/ingest-batch.ts';
import type { DecodedRecord } from '../../../workers/ingest/decode/envelope.ts';
import { rowsOf } from '../rows/source-rows.ts';
import { changeRecord, decodedRecord } from './dead-letters.ts';

/** A press mention by its id and title. */
export const mention = (id: string, title = `title of ${id}`): Record<string, unknown> => ({
  ...rowsOf(artistPressMentions, { mention_id: id, title }).rows[0],
});

export const MENTIONS = artistPressMentions.table;

export interface Streamed {
  readonly op?: 'c' | 'u' | 'd' | 't' | 'tombstone';
  readonly id?: string;
  readonly title?: string;
  /** Position in the producer's log. */
  readonly lsn?: number;
  /** Time of the change and of its record, in milliseconds since 1970. */
  readonly atMs: number;
}

/** A change of a mention as a Kafka record. */
export function mentionRecord(
  { op = 'u', id = '', title, lsn = 1, atMs }: Streamed,
  registry: Registry,
): DecodedRecord {
  const row = { title: title ?? `title of ${id}` };
  const record = changeRecord({ op, key: { mention_id: id }, row, lsn, timeMs: atMs });
  return decodedRecord({ ...record, timestamp: atMs }, registry);
}

let streams = 0;

/** Applies changes of mentions as one batch of a partition of their own. */
export async function streamMentions(pool: Pool, registry: Registry, ...changes: Streamed[]): Promise<void> {
  const place = { group: `stream ${++streams}`, topic: `producers.${MENTIONS}`, partition: 0 };
  const records = changes.map((change) => mentionRecord(change, registry));
  await ingestBatch(pool, registry, { topicPartition: place, records, from: null, to: 1_000 });
}

/** The titles in the mirror, by id; null for a deleted one. */
export async function storedMentions(pool: Pool): Promise<Record<string, string | null>> {
  const { rows } = await pool.query<{ key: string; title: string | null }>(
    `select key, row::jsonb ->> 'title' as title from ingest.mirror join ingest.source on source.id = mirror.source
     where source.name = $1 order by key`,
    [MENTIONS],
  );
  return Object.fromEntries(rows.map(({ key, title }) => [key, title]));
}
