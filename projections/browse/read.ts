import type { Pool } from 'pg';
import { textArray } from '../../db/arrays.ts';
import type { BrowseItem } from './item.ts';
import { isListable, type ListFilters, stretchesOf, type Tier } from './places.ts';

/** Each stretch is read from the index in its order, and no further than the page goes. */
export const PAGE = `
  select convert_from(document.body, 'UTF8') as item
  from (
    select entry.document, substr(entry.address, $3) as place
    from unnest($1::text[], $2::text[]) stretch (low, high)
      cross join lateral (
        select address, document from read.browse_address claim
        where claim.address >= stretch.low and claim.address < stretch.high
        order by address, rank, support desc, document limit $4::int8 + $5::int8
      ) entry
    order by place, entry.document limit $4::int8 offset $5::int8
  ) page
    join read.browse document on document.id = page.document
  order by page.place, page.document`;

const KNOWN = `
  select exists (
    select from unnest($1::text[], $2::text[]) stretch (low, high)
      cross join lateral (
        select from read.browse_address claim
        where claim.address >= stretch.low and claim.address < stretch.high limit 1
      ) entry
  ) as known`;

export interface BrowseQuery extends ListFilters {
  readonly tier: Tier | null;
  readonly sort: 'discovery' | 'reach';
  readonly limit: number;
  readonly offset: number;
}

/** A page of a list, in its order; ties are kept apart by the id of the document. */
export async function readPage(pool: Pool, query: BrowseQuery): Promise<BrowseItem[]> {
  if (!isAskable(query)) return [];
  const { from, to, placeAt } = stretchesOf(query, query);
  const { rows } = await pool.query<{ item: string }>({
    name: 'browse-page',
    text: PAGE,
    values: [textArray(from), textArray(to), placeAt, query.limit, query.offset],
  });
  return rows.map(({ item }) => JSON.parse(item));
}

/** Whether any artist is listed under the filters. */
export async function hasArtists(pool: Pool, filters: ListFilters): Promise<boolean> {
  if (!isAskable(filters)) return false;
  const { from, to } = stretchesOf(filters, { tier: null, sort: 'discovery' });
  const { rows } = await pool.query<{ known: boolean }>({
    name: 'browse-known',
    text: KNOWN,
    values: [textArray(from), textArray(to)],
  });
  return rows[0]?.known ?? false;
}

const isAskable = ({ genre, style }: ListFilters): boolean =>
  [genre, style].every((name) => name === null || isListable(name));
