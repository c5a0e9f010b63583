import type { Pool } from 'pg';
import type { Source } from '../../../projections/contracts/contract.ts';
import type { Registry } from '../../../projections/engine/registry.ts';
import { ingestBatch } from '../../../workers/ingest/apply/ingest-batch.ts';
import { changeRecord, decodedRecord } from './dead-letters.ts';

export type Cells = Readonly<Record<string, unknown>>;

export interface SentRow {
  readonly source: Source;
  /** Every column that the producer's table has. */
  readonly row: Cells;
  /** Position in the log and in the topic. */
  readonly lsn: number;
  /** Default: that of the position. */
  readonly offset?: number;
  readonly partition?: number;
  /** The fields of the message's schema that differ from nullable text; without it, the message has no schema. */
  readonly types?: Readonly<Record<string, object>> | undefined;
}

let groups = 0;

/** Ingests one row as a worker reads it from a log. */
export function sendRow(
  pool: Pool,
  registry: Registry,
  { source, row, lsn, offset = lsn, partition = 0, types }: SentRow,
): ReturnType<typeof ingestBatch> {
  const plain = changeRecord({ source, lsn, offset, timeMs: Date.now() - 1_000 });
  const payload = { ...JSON.parse(String(plain.value)), after: row };
  const fields = Object.keys(row).map((field) => ({
    field,
    type: 'string',
    optional: true,
    ...types?.[field],
  }));
  const schema = { type: 'struct', fields: [{ field: 'after', type: 'struct', fields }] };
  const value = JSON.stringify(types === undefined ? payload : { schema, payload });
  const record = { ...plain, value, readFrom: { topic: plain.topic, partition } };
  return ingestBatch(pool, registry, {
    topicPartition: { group: `sent ${++groups}`, topic: plain.topic, partition },
    records: [decodedRecord(record, registry)],
    from: null,
    to: offset + 1,
    readAtMs: Date.now(),
  });
}

/** A row as it is after `drop column`. */
export const withoutColumns = (row: Cells, ...names: string[]): Cells =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));

/** A row as it is after `rename column`. */
export const withRenamed = (row: Cells, from: string, to: string): Cells =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name === from ? to : name, value]));
