import type { ClientBase, Pool } from 'pg';
import { type ColumnShape, columnShape, type Encoding } from '../../projections/contracts/columns.ts';
import type { Source } from '../../projections/contracts/contract.ts';
import { sampleLines } from '../support/ingest/change-data.ts';

export type Cells = Readonly<Record<string, unknown>>;

/** Column types as two producers choose them, so that many types reach the decoder. */
const STYLES: readonly Readonly<Record<Encoding, string>>[] = [
  {
    hex: 'bytea',
    text: 'text',
    int: 'bigint',
    num: 'numeric',
    bool: 'boolean',
    date: 'date',
    partial_date: 'text',
    ts: 'timestamptz',
    uuid: 'uuid',
    json: 'jsonb',
  },
  {
    hex: 'text',
    text: 'varchar',
    int: 'bigint',
    num: 'double precision',
    bool: 'boolean',
    date: 'date',
    partial_date: 'varchar',
    ts: 'timestamp',
    uuid: 'uuid',
    json: 'json',
  },
];

export interface ProducerColumn extends ColumnShape {
  readonly name: string;
  readonly sqlType: string;
}

/** A producer's table, made from its contract. */
export interface ProducerTable {
  readonly source: Source;
  readonly columns: readonly ProducerColumn[];
}

/** @param style which producer's column types it has */
export function producerTable(source: Source, style: number): ProducerTable {
  const types = STYLES[style % STYLES.length] as (typeof STYLES)[number];
  const columns = Object.entries(source.columns).map(([name, column]) => {
    const shape = columnShape(column);
    return { ...shape, name, sqlType: types[shape.encoding] + (shape.isList ? '[]' : '') };
  });
  return { source, columns };
}

export async function createTable(
  client: ClientBase | Pool,
  { source, columns }: ProducerTable,
): Promise<void> {
  const [schema] = source.table.split('.');
  const definitions = columns.map(
    ({ name, sqlType, isNullable }) => `"${name}" ${sqlType}${isNullable ? '' : ' not null'}`,
  );
  await client.query(`create schema if not exists ${schema}`);
  await client.query(
    `create table ${source.table} (${definitions.join(', ')}, primary key (${source.key.join(', ')}))`,
  );
}

/** Rows of the bundled sample, or none where it lacks the table. */
export const sampleRows = (source: Source, from: number, to: number): Cells[] =>
  sampleLines(source.table)
    .slice(from, to)
    .map((line) => JSON.parse(line));

const mapped = (column: ProducerColumn, value: unknown, change: (item: unknown) => unknown): unknown =>
  value === null || value === undefined
    ? null
    : column.isList
      ? (value as unknown[]).map(change)
      : change(value);

/** Writes rows as JSON has them in the sample. */
export async function insertRows(
  client: ClientBase | Pool,
  table: ProducerTable,
  rows: readonly Cells[],
): Promise<void> {
  const asStored = (column: ProducerColumn, value: unknown) =>
    mapped(column, value, (item) => (column.sqlType.startsWith('bytea') ? `\\x${item}` : item));
  const stored = rows.map((row) =>
    Object.fromEntries(table.columns.map((column) => [column.name, asStored(column, row[column.name])])),
  );
  await client.query(
    `insert into ${table.source.table} select * from jsonb_populate_recordset(null::${table.source.table}, $1)`,
    [JSON.stringify(stored)],
  );
}

/** What a contract makes of a column's value, without the decoder. */
function canonical(column: ProducerColumn, value: unknown): unknown {
  return mapped(column, value, (item) => {
    if (column.encoding === 'ts') return `${String(item).slice(0, 19)}Z`;
    return column.sqlType.startsWith('bytea') ? String(item).slice(2) : item;
  });
}

/** The rows of a table as the mirror should have them, by the text of their key. */
export async function readRows(client: ClientBase | Pool, table: ProducerTable): Promise<Map<string, Cells>> {
  const { rows } = await client.query<{ cells: Cells }>(
    `select to_jsonb(t) as cells from ${table.source.table} t`,
  );
  return byKey(
    table.source,
    rows.map(({ cells }) =>
      Object.fromEntries(table.columns.map((column) => [column.name, canonical(column, cells[column.name])])),
    ),
  );
}

/** @throws Error if two rows have one key */
export function byKey(source: Source, rows: readonly Cells[]): Map<string, Cells> {
  const found = new Map(rows.map((row) => [JSON.stringify(source.key.map((name) => row[name])), row]));
  if (found.size !== rows.length) throw new Error(`${source.table} has two rows of one key`);
  return found;
}
