import type { Pool } from 'pg';
import { textArray } from '../../../db/arrays.ts';

/** The live snapshot of an index, with the requested entries. */
export interface PublishedSnapshot {
  /** YYYY-MM-DD, the day it was computed for, or was published on if the index is not dated. */
  readonly day: string;
  readonly publishedAt: Date;
  /** In the order of the index, the lists interleaved. */
  readonly entries: readonly { readonly list: string; readonly body: unknown }[];
}

/** One statement sees one snapshot, even during a publication. */
const FIRST = `
  select snapshot.day::text, snapshot.published_at, entry.list, entry.body
  from published.live
    join published.snapshot on snapshot.id = live.snapshot
    left join lateral (
      select found.list, found.place, found.body
      from unnest($2::text[]) requested (list)
        cross join lateral (
          select list, place, body from published.entry
          where entry.snapshot = live.snapshot and entry.list = requested.list
          order by place limit $3
        ) found
    ) entry on true
  where live.index = $1
  order by entry.place`;

const ONE = `
  select snapshot.day::text, snapshot.published_at, entry.list, entry.body
  from published.live
    join published.snapshot on snapshot.id = live.snapshot
    left join published.entry on entry.snapshot = live.snapshot and entry.list = $2 and entry.key = $3
  where live.index = $1`;

interface Row {
  readonly day: string;
  readonly published_at: Date;
  readonly list: string | null;
  readonly body: unknown;
}

/**
 * Reads the first entries of each of the lists, at most `limit` of each.
 *
 * @returns null if the index was never published
 */
export async function readFirst(
  pool: Pool,
  index: string,
  { lists, limit }: { readonly lists: readonly string[]; readonly limit: number },
): Promise<PublishedSnapshot | null> {
  const { rows } = await pool.query<Row>({
    name: 'published-first',
    text: FIRST,
    values: [index, textArray(lists), limit],
  });
  return snapshotOf(rows);
}

/** Reads the entry of one key. @returns null if the index was never published */
export async function readOne(
  pool: Pool,
  index: string,
  { list, key }: { readonly list: string; readonly key: string },
): Promise<PublishedSnapshot | null> {
  const { rows } = await pool.query<Row>({ name: 'published-one', text: ONE, values: [index, list, key] });
  return snapshotOf(rows);
}

function snapshotOf(rows: readonly Row[]): PublishedSnapshot | null {
  const [first] = rows;
  if (first === undefined) return null;
  return {
    day: first.day,
    publishedAt: first.published_at,
    entries: rows.flatMap(({ list, body }) => (list === null ? [] : [{ list, body }])),
  };
}
