import type { Pool } from 'pg';
import { textArray } from '../../../db/arrays.ts';
import { batchedLookup } from '../../../db/batched-lookup.ts';
import { type FoundTracks, parseTracks, TRACK_VIEW, type TrackCorpus } from './document.ts';
import { TRACK_RANK, titlePrefix } from './lookup-keys.ts';

/** Documents that may contain a title; the caller still compares each track. */
export interface TitleCandidates {
  readonly documents: readonly FoundTracks[];
  /** Whether documents with less support were left out. */
  readonly isTruncated: boolean;
}

export const NO_TITLES: TitleCandidates = { documents: [], isTruncated: false };

/** Most documents read for one title; popular titles have a hundred thousand. */
export const MAX_CANDIDATES = 250;
/** Spellings of one title that differ in case, spaces or signs. */
const MAX_SPELLINGS = 100;

/**
 * Walks the index of lookup keys from spelling to spelling and takes the best supported documents of each. One row beyond
 * a maximum shows that there are more.
 */
const titlesQuery = (view: string): string => `
  select queried.start, candidate.spellings > ${MAX_SPELLINGS} as "hasMoreSpellings", document.key,
    convert_from(document.body, 'UTF8') as body
  from unnest($1::text[], $2::text[]) queried (start, stop)
    cross join lateral (
      with recursive spelling (address, number) as (
        (select address, 1 from ${view}_address
         where address >= queried.start and address < queried.stop order by address limit 1)
        union all
        select next.address, spelling.number + 1
        from spelling cross join lateral (
          select address from ${view}_address
          where address > spelling.address and address < queried.stop order by address limit 1
        ) next
        where spelling.number <= ${MAX_SPELLINGS}
      )
      select best.document, (select count(*) from spelling)::int4 as spellings
      from spelling cross join lateral (
        select support, document from ${view}_address
        where address = spelling.address and rank = ${TRACK_RANK.title}
        order by support desc, document limit ${MAX_CANDIDATES + 1}
      ) best
      order by best.support desc, best.document limit ${MAX_CANDIDATES + 1}
    ) candidate
    cross join lateral (select key, body from ${view} where id = candidate.document limit 1) document`;

interface TitleRow {
  readonly start: string;
  readonly hasMoreSpellings: boolean;
  readonly key: string;
  readonly body: string;
}

export type TitleLookup = (title: string) => Promise<TitleCandidates>;

/** Looks up documents with a title, ignoring case, spaces and punctuation. Lookups of one tick share a statement. */
export function titleLookup(pool: Pick<Pool, 'query'>, corpus: TrackCorpus): TitleLookup {
  const text = titlesQuery(TRACK_VIEW[corpus]);
  const find = batchedLookup(async (starts) => {
    const { rows } = await pool.query<TitleRow>({
      name: `${corpus}-track-titles`,
      text,
      values: [textArray(starts), textArray(starts.map(stopOf))],
    });
    const byStart = Map.groupBy(rows, ({ start }) => start);
    return new Map([...byStart].map(([start, found]) => [start, candidatesOf(found)]));
  });
  return async (title) => {
    const start = titlePrefix(title);
    return (start === null ? null : await find(start)) ?? NO_TITLES;
  };
}

/** The upper bound of a prefix: a semicolon sorts after the colon that ends it. */
const stopOf = (start: string): string => `${start.slice(0, -1)};`;

function candidatesOf(rows: readonly TitleRow[]): TitleCandidates {
  const bodies = new Map(rows.slice(0, MAX_CANDIDATES).map(({ key, body }) => [key, body]));
  return {
    documents: [...bodies].map(([key, body]) => parseTracks(key, body)),
    isTruncated: rows.length > MAX_CANDIDATES || rows.some(({ hasMoreSpellings }) => hasMoreSpellings),
  };
}
