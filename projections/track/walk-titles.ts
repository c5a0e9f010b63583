import { DatabaseError, type PoolClient, type QueryConfig, type QueryResultRow } from 'pg';
import { RANK } from './addresses.ts';
import { type Corpus, TRACK_VIEW } from './document.ts';
import { MOST_CANDIDATES } from './find-titles.ts';
import { BEST_TITLES, TITLE_TEXT } from './title-index.ts';

/**
 * Statements begun in that time run, each for no longer than it may take; what can stop by itself does so a little
 * earlier, and keeps what it has found. All of it stays below a second.
 */
export const MOST_MS = { begun: 400, statement: 250, walk: 200 };
/** SQLSTATE query_canceled. */
const OUT_OF_TIME = '57014';

/** Ids of documents that hold titles which may have the part. */
export interface FoundIds {
  readonly ids: readonly string[];
  readonly isTruncated: boolean;
}

/** Goes along indexes that hold all that is asked for. */
const SETTINGS = `
  set local statement_timeout = ${MOST_MS.statement};
  set local enable_seqscan = off;
  set local enable_bitmapscan = off;
  set local max_parallel_workers_per_gather = 0;
  set local jit = off`;

/** Once time is up every title is answered, as none, so that the rest is not read. */
const walkOf = (view: string, titles: string): string => `
  select case when ${TITLE_TEXT} like $1 then document end as id
  from ${view}_address
  where ${titles}
    and (${TITLE_TEXT} like $1
      or clock_timestamp() > statement_timestamp() + $3::float8 * interval '1 millisecond')`;

const allOf = (view: string): string =>
  `${walkOf(view, `address >= 'title:' and address < 'title;' and rank = ${RANK.title}`)} limit $2`;
const bestOf = (view: string): string => `${walkOf(view, BEST_TITLES)} order by support desc limit $2`;

/**
 * Holds titles against a pattern one after the other until there are enough or time is up: the best supported first,
 * then all where they are few, else those whose addresses, which are hashes, come first.
 *
 * @param order 'any order' leaves out the walk through the best supported
 */
export async function walkTitles(
  client: PoolClient,
  corpus: Corpus,
  pattern: string,
  order: 'best first' | 'any order' = 'best first',
  mostMs: number = MOST_MS.walk,
): Promise<FoundIds> {
  await client.query(SETTINGS);
  const view = TRACK_VIEW[corpus];
  const walk = async (name: string, text: string, most: number): Promise<Walked | null> => {
    const values = [pattern, most, mostMs];
    const rows = await inTime<{ id: string | null }>(client, {
      name: `${corpus}-track-${name}`,
      text,
      values,
    });
    const ids = rows?.flatMap(({ id }) => id ?? []);
    return rows && ids ? { ids, isCut: ids.length < rows.length } : null;
  };
  // A storefront does not count releases.
  const isBestFirst = corpus === 'mb' && order === 'best first';
  const best = isBestFirst ? await walk('best', bestOf(view), MOST_CANDIDATES + 1) : NOTHING;
  if (best === null) return { ids: [], isTruncated: true };
  const before = best.ids;
  if (before.length > MOST_CANDIDATES) return { ids: before.slice(0, MOST_CANDIDATES), isTruncated: true };
  const all = await walk('walk', allOf(view), MOST_CANDIDATES + 1 + before.length);
  const found = all?.ids ?? [];
  const ids = [...new Set([...before, ...found])].slice(0, MOST_CANDIDATES);
  return { ids, isTruncated: all === null || all.isCut || found.length > MOST_CANDIDATES };
}

interface Walked {
  readonly ids: readonly string[];
  readonly isCut: boolean;
}

const NOTHING: Walked = { ids: [], isCut: false };

/** Null where it took too long, which ends the transaction. */
export async function inTime<Row extends QueryResultRow>(
  client: PoolClient,
  statement: QueryConfig,
): Promise<readonly Row[] | null> {
  try {
    const { rows } = await client.query<Row>(statement);
    return rows;
  } catch (error) {
    if (error instanceof DatabaseError && error.code === OUT_OF_TIME) return null;
    throw error;
  }
}
