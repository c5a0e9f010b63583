import type { Pool } from 'pg';
import { expect } from 'vitest';
import type { Registry } from '../../projections/engine/registry.ts';
import { projections } from '../../projections/index.ts';
import { differingKeys, documentsOf } from '../support/projections/documents.ts';
import { rebuild } from '../support/projections/rebuild.ts';
import { servedVersion } from '../support/projections/served-version.ts';
import { byKey, type Cells, type ProducerTable, readRows } from './producer-table.ts';

/** How a table's mirror differs from the producer's table. */
export interface TableDifferences {
  readonly missing: readonly string[];
  readonly extra: readonly string[];
  /** Cells by key and column: the producer's and ours. */
  readonly cells: readonly string[];
}

export async function compareTable(
  producer: Pool,
  mirror: Pool,
  table: ProducerTable,
): Promise<TableDifferences> {
  const wanted = await readRows(producer, table);
  const stored = await readMirror(mirror, table);
  const cells = [...wanted].flatMap(([key, row]) => {
    const other = stored.get(key);
    if (other === undefined) return [];
    return table.columns
      .filter(({ name }) => !isEqual(row[name], other[name]))
      .map(({ name }) => `${key} ${name}: ${shown(row[name])} is ${shown(other[name])} here`);
  });
  return {
    missing: [...wanted.keys()].filter((key) => !stored.has(key)),
    extra: [...stored.keys()].filter((key) => !wanted.has(key)),
    cells,
  };
}

export const SAME: TableDifferences = { missing: [], extra: [], cells: [] };

async function readMirror(mirror: Pool, { source }: ProducerTable): Promise<Map<string, Cells>> {
  const { rows } = await mirror.query<{ row: string }>(
    `select row from ingest.mirror join ingest.source on source.id = source
     where name = $1 and row is not null`,
    [source.table],
  );
  return byKey(
    source,
    rows.map(({ row }) => JSON.parse(row)),
  );
}

/** Objects have no order: jsonb sorts what json keeps. */
const isEqual = (a: unknown, b: unknown): boolean => sortedText(a) === sortedText(b);

const sortedText = (value: unknown): string =>
  JSON.stringify(value ?? null, (_, item) =>
    item !== null && typeof item === 'object' && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );

const shown = (value: unknown): string => JSON.stringify(value ?? null).slice(0, 80);

export async function expectNoDeadLetters(mirror: Pool): Promise<void> {
  const { rows } = await mirror.query(
    `select topic, partition, record_offset::int4 as at, violations from ingest.dead_letter order by 1, 2, 3 limit 5`,
  );
  expect(rows).toEqual([]);
}

/** Every record that was read up to the position of its partition is counted once, by how it ended. */
export async function expectCountersAddUp(mirror: Pool, group: string): Promise<void> {
  const { rows } = await mirror.query(
    `select topic, partition, next_offset::int4 as records, coalesce(sum(read), 0)::int4 as read,
       coalesce(sum(applied + older + equal + dead_letters + ignored), 0)::int4 as ended
     from ingest.position left join ingest.record_count using (consumer_group, topic, partition)
     where consumer_group = $1 group by topic, partition, next_offset order by topic, partition`,
    [group],
  );
  expect(rows).not.toEqual([]);
  expect(rows).toEqual(rows.map((row) => ({ ...row, read: row.records, ended: row.records })));
}

/** Builds every read model anew, and compares its documents with those that were kept current, byte for byte. */
export async function expectDocumentsOfRebuild(mirror: Pool, registry: Registry): Promise<void> {
  for (const projection of projections) {
    const kept = await documentsOf(mirror, await servedVersion(mirror, projection.name));
    const rebuilt = await documentsOf(mirror, await rebuild(mirror, projection, registry));
    expect({ [projection.name]: differingKeys(kept, rebuilt) }).toEqual({ [projection.name]: [] });
  }
}
