import type { Pool } from 'pg';
import { int4Array, textArray } from '../../../db/arrays.ts';
import {
  type ColumnName,
  columnNames,
  columnTypes,
  type SegmentColumns,
} from '../../../projections/models/search/columns.ts';
import type { SearchDocument, SearchRow } from '../../../projections/models/search/document.ts';
import {
  columnTable,
  postingTable,
  rowTable,
  valueTable,
} from '../../../projections/models/search/generation.ts';
import type { SpeltValue } from './segment.ts';

/** Sorts after every character of a word. */
const LAST_CHARACTER = '\u{10ffff}';

/** The key of a posting list. */
export interface ListName {
  readonly kind: string;
  readonly term: string;
}

/** A stored posting list. */
export interface PostingRow extends ListName {
  readonly anywhere: Buffer;
  readonly in_title: Buffer | null;
}

interface Postings {
  readonly lists: readonly PostingRow[];
  /** Lists of the words with the prefix: one stored list of all, or one list per word. */
  readonly prefixed: readonly PostingRow[];
}

/** A prefix without a list of its own has only few words. */
const postingsSql = (generation: number): string => `
  select kind, term, anywhere, in_title, false as is_prefix
  from ${postingTable(generation)} join unnest($1::text[], $2::text[]) wanted (kind, term) using (kind, term)
  union all
  (with own as materialized (
    select kind, term, anywhere, in_title from ${postingTable(generation)} where kind = 'prefix' and term = $3
  )
  select kind, term, anywhere, in_title, true from own
  union all
  select kind, term, anywhere, in_title, true from ${postingTable(generation)}
  where kind = 'word' and term >= $3 and term < $3::text || '${LAST_CHARACTER}' and not exists (select from own))`;

/** Reads lists, and those of words with `prefix` if not null, with one statement. */
export async function readPostings(
  pool: Pool,
  generation: number,
  { names, prefix }: { readonly names: readonly ListName[]; readonly prefix: string | null },
): Promise<Postings> {
  const { rows } = await pool.query<PostingRow & { is_prefix: boolean }>({
    name: `search-postings-${generation}`,
    text: postingsSql(generation),
    values: [textArray(names.map(({ kind }) => kind)), textArray(names.map(({ term }) => term)), prefix],
  });
  return {
    lists: rows.filter(({ is_prefix }) => !is_prefix),
    prefixed: rows.filter(({ is_prefix }) => is_prefix),
  };
}

/** Rows by rank, in the order of the ranks given. */
export async function readRows(
  pool: Pool,
  generation: number,
  ranks: readonly number[],
): Promise<SearchRow[]> {
  if (ranks.length === 0) return [];
  const { rows } = await pool.query<{ rank: number; body: string }>({
    name: `search-rows-${generation}`,
    text: `select rank, convert_from(body, 'UTF8') as body from ${rowTable(generation)} where rank = any($1::int4[])`,
    values: [int4Array(ranks)],
  });
  const byRank = new Map(rows.map(({ rank, body }) => [rank, body]));
  return ranks.map((rank) => {
    const body = byRank.get(rank);
    if (body === undefined) throw new Error(`generation ${generation} has no rank ${rank}`);
    const document: SearchDocument = JSON.parse(body);
    return document.row;
  });
}

export async function readColumns(pool: Pool, generation: number): Promise<SegmentColumns> {
  const columns: Partial<Record<ColumnName, SegmentColumns[ColumnName]>> = {};
  for (const name of columnNames) columns[name] = columnTypes[name](await readColumn(pool, generation, name));
  return columns as SegmentColumns;
}

/** Reads a column in parts, to bound memory and the time of each statement. */
async function readColumn(pool: Pool, generation: number, name: ColumnName): Promise<ArrayBuffer> {
  const { rows } = await pool.query<{ bytes: number }>(
    `select coalesce(sum(length(bytes)), 0)::float8 as bytes from ${columnTable(generation)} where name = $1`,
    [name],
  );
  const all = new Uint8Array(rows[0]?.bytes ?? 0);
  for (let part = 0, at = 0; at < all.length; part++) {
    const { rows: parts } = await pool.query<{ bytes: Buffer }>({
      name: `search-column-${generation}`,
      text: `select bytes from ${columnTable(generation)} where name = $1 and part = $2`,
      values: [name, part],
    });
    const bytes = parts[0]?.bytes;
    if (bytes === undefined) throw new Error(`generation ${generation} lacks part ${part} of ${name}`);
    all.set(bytes, at);
    at += bytes.length;
  }
  return all.buffer;
}

const VALUES_PER_READ = 50_000;

/** The facet values in the order of their numbers. */
export async function readValues(pool: Pool, generation: number): Promise<SpeltValue[]> {
  const values: SpeltValue[] = [];
  for (;;) {
    const { rows } = await pool.query<SpeltValue>(
      `select facet, value, folded from ${valueTable(generation)} where id >= $1 order by id limit $2`,
      [values.length, VALUES_PER_READ],
    );
    for (const { facet, value, folded } of rows) values.push({ facet, value, folded });
    if (rows.length < VALUES_PER_READ) return values;
  }
}
