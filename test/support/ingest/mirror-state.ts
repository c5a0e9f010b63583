import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { Pool } from 'pg';
import type { Source } from '../../../projections/contracts/contract.ts';
import { sourceByTable } from '../../../projections/contracts/index.ts';
import '../../../workers/ingest/decode/json.ts';
import { expectedTables } from './change-data.ts';

/** The bundled sample, as a folder of snapshot files. */
export const SAMPLE = fileURLToPath(new URL('../../../infra/sample', import.meta.url));
/** The change events that go with it, and what they lead to. */
export const CHANGES = fileURLToPath(new URL('../../data/changes/', import.meta.url));
/** When the sample counts as taken: before the change events. */
export const SNAPSHOT_TIME = Date.UTC(2026, 7, 1);

type Row = Readonly<Record<string, unknown>>;

/** Rows of a source as compact JSON lines: contract columns in their order, sorted by key. */
async function digestOf(pool: Pool, source: Source): Promise<{ count: number; sha256: string }> {
  const { rows } = await pool.query<{ row: string }>(
    `select row from ingest.mirror join ingest.source on source.id = mirror.source
     where source.name = $1 and row is not null`,
    [source.table],
  );
  const parsed = rows.map(({ row }) => ({ key: JSON.parse(row) as Row, asWritten: parseAsWritten(row) }));
  parsed.sort((a, b) => {
    for (const column of source.key) {
      const order = compare(a.key[column], b.key[column]);
      if (order !== 0) return order;
    }
    return 0;
  });
  const hash = createHash('sha256');
  const columns = Object.keys(source.columns);
  for (const { asWritten } of parsed) {
    hash.update(`${JSON.stringify(Object.fromEntries(columns.map((name) => [name, asWritten[name]])))}\n`);
  }
  return { count: parsed.length, sha256: hash.digest('hex') };
}

type Reviver = (key: string, value: unknown) => unknown;

/** Numbers keep their text, so that 12.0 inside a JSON column is not written as 12. */
const keepNumbers = (_: string, value: unknown, { source }: { source?: string }): unknown =>
  typeof value === 'number' ? JSON.rawJSON(source ?? '') : value;

const parseAsWritten = (text: string): Row => JSON.parse(text, keepNumbers as Reviver);

function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)));
}

const oracle = expectedTables();
const tables = Object.keys(oracle.row_counts).sort();

/** Row count and digest of each table after the sample and all change events, made by an independent replay. */
export const expectedState = Object.fromEntries(
  tables.map((table) => [table, { count: oracle.row_counts[table], sha256: oracle.sha256[table] }]),
);

/** Row count and digest of the same tables in the mirror. */
export async function mirrorState(pool: Pool) {
  const state: Record<string, { count: number; sha256: string }> = {};
  for (const table of tables) {
    const source = sourceByTable.get(table);
    if (source !== undefined) state[table] = await digestOf(pool, source);
  }
  return state;
}
