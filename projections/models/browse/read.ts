import type { Pool } from 'pg';
import { textArray } from '../../../db/arrays.ts';
import type { BrowseItem } from './item.ts';
import { isListable, keyRanges, type ListFilters, type Tier } from './list-keys.ts';

/** Reads each range in index order, and no further than the page needs. */
export const PAGE = `
  select convert_from(document.body, 'UTF8') as item
  from (
    select entry.document, substr(entry.address, $3) as sort_key
    from unnest($1::text[], $2::text[]) key_range (low, high)
      cross join lateral (
        select address, document from read.browse_address
        where address >= key_range.low and address < key_range.high
        order by address, rank, support desc, document limit $4::int8 + $5::int8
      ) entry
    order by sort_key, entry.document limit $4::int8 offset $5::int8
  ) page
    join read.browse document on document.id = page.document
  order by page.sort_key, page.document`;

const KNOWN = `
  select exists (
    select from unnest($1::text[], $2::text[]) key_range (low, high)
      cross join lateral (
        select from read.browse_address
        where address >= key_range.low and address < key_range.high limit 1
      ) entry
  ) as known`;

export interface BrowseQuery extends ListFilters {
  readonly tier: Tier | null;
  readonly sort: 'discovery' | 'reach';
  readonly limit: number;
  readonly offset: number;
}

/** A page of a list in its order; document ids break ties. */
export async function readPage(pool: Pool, query: BrowseQuery): Promise<BrowseItem[]> {
  if (!isPossible(query)) return [];
  const { from, to, sortKeyAt } = keyRanges(query, query);
  const { rows } = await pool.query<{ item: string }>({
    name: 'browse-page',
    text: PAGE,
    values: [textArray(from), textArray(to), sortKeyAt, query.limit, query.offset],
  });
  return rows.map(({ item }) => JSON.parse(item));
}

/** Whether any artist matches the filters. */
export async function hasArtists(pool: Pool, filters: ListFilters): Promise<boolean> {
  if (!isPossible(filters)) return false;
  const { from, to } = keyRanges(filters, { tier: null, sort: 'discovery' });
  const { rows } = await pool.query<{ known: boolean }>({
    name: 'browse-known',
    text: KNOWN,
    values: [textArray(from), textArray(to)],
  });
  return rows[0]?.known ?? false;
}

const isPossible = ({ genre, style }: ListFilters): boolean =>
  [genre, style].every((name) => name === null || isListable(name));
