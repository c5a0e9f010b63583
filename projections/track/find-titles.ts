import type { Pool } from 'pg';
import { textArray } from '../../db/arrays.ts';
import { batchedLookup } from '../../db/batched-lookup.ts';
import { RANK, titleStart } from './addresses.ts';
import { type Corpus, type FoundTracks, parseTracks, TRACK_VIEW } from './document.ts';

/** Documents in which a title may be found; each of its tracks has still to be held against what was asked. */
export interface TitleCandidates {
  readonly documents: readonly FoundTracks[];
  /** Whether there were more, of which these are the better supported. */
  readonly isTruncated: boolean;
}

export const NO_TITLES: TitleCandidates = { documents: [], isTruncated: false };

/** Documents that one answer is made of at most; popular titles have a hundred thousand. */
export const MOST_CANDIDATES = 250;
/** Spellings of one title that differ in case, spaces or signs. */
const MOST_SPELLINGS = 100;

/**
 * Steps from spelling to spelling through the index of addresses, which are ordered by it, and takes the best supported
 * of each. What is one more than the most tells that there are more.
 */
const titlesOf = (view: string): string => `
  select asked.start, claim.spellings > ${MOST_SPELLINGS} as "hasMoreSpellings", document.key,
    convert_from(document.body, 'UTF8') as body
  from unnest($1::text[], $2::text[]) asked (start, stop)
    cross join lateral (
      with recursive spelling (address, number) as (
        (select address, 1 from ${view}_address
         where address >= asked.start and address < asked.stop order by address limit 1)
        union all
        select next.address, spelling.number + 1
        from spelling cross join lateral (
          select address from ${view}_address
          where address > spelling.address and address < asked.stop order by address limit 1
        ) next
        where spelling.number <= ${MOST_SPELLINGS}
      )
      select best.document, (select count(*) from spelling)::int4 as spellings
      from spelling cross join lateral (
        select support, document from ${view}_address claim
        where claim.address = spelling.address and claim.rank = ${RANK.title}
        order by support desc, document limit ${MOST_CANDIDATES + 1}
      ) best
      order by best.support desc, best.document limit ${MOST_CANDIDATES + 1}
    ) claim
    cross join lateral (select key, body from ${view} where id = claim.document limit 1) document`;

interface Row {
  readonly start: string;
  readonly hasMoreSpellings: boolean;
  readonly key: string;
  readonly body: string;
}

export type TitleLookup = (title: string) => Promise<TitleCandidates>;

/**
 * Looks documents up that hold a title, whatever its case, spaces and signs. What is asked together shares a statement.
 */
export function titleLookup(pool: Pool, corpus: Corpus): TitleLookup {
  const text = titlesOf(TRACK_VIEW[corpus]);
  const find = batchedLookup(async (starts) => {
    const { rows } = await pool.query<Row>({
      name: `${corpus}-track-titles`,
      text,
      values: [textArray(starts), textArray(starts.map(stopOf))],
    });
    const byStart = Map.groupBy(rows, ({ start }) => start);
    return new Map([...byStart].map(([start, found]) => [start, candidatesOf(found)]));
  });
  return async (title) => {
    const start = titleStart(title);
    return (start === null ? null : await find(start)) ?? NO_TITLES;
  };
}

/** The first address behind all that begin so: a semicolon comes after the colon that ends the start. */
const stopOf = (start: string): string => `${start.slice(0, -1)};`;

function candidatesOf(rows: readonly Row[]): TitleCandidates {
  const bodies = new Map(rows.slice(0, MOST_CANDIDATES).map(({ key, body }) => [key, body]));
  return {
    documents: [...bodies].map(([key, body]) => parseTracks(key, body)),
    isTruncated: rows.length > MOST_CANDIDATES || rows.some(({ hasMoreSpellings }) => hasMoreSpellings),
  };
}
