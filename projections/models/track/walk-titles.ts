import { DatabaseError, type PoolClient, type QueryConfig, type QueryResultRow } from 'pg';
import { TRACK_VIEW, type TrackCorpus } from './document.ts';
import { MAX_CANDIDATES } from './find-titles.ts';
import { TRACK_RANK } from './lookup-keys.ts';
import { BEST_TITLES, TITLE_TEXT } from './title-index.ts';

/**
 * Time limits in milliseconds: no statement starts after `begun`, each may take `statement`, and a walk stops itself after
 * `walk` and keeps what it has found. A statement that waits longer than `lock` for a locked table fails: it has read
 * nothing. The total stays below a second.
 */
export const TIME_LIMITS_MS = { begun: 400, statement: 250, lock: 200, walk: 200 };
/** SQLSTATE of a statement timeout. */
const QUERY_CANCELED = '57014';

interface TitleWalk {
  /** For SQL `like`. */
  readonly pattern: string;
  /** Skips the walk through the best supported titles. */
  readonly skipsBest?: boolean;
  readonly maxMs?: number | undefined;
}

/** Ids of documents whose titles may contain the part. */
export interface FoundIds {
  readonly ids: readonly string[];
  readonly isTruncated: boolean;
}

/** Forces index-only scans. */
const SETTINGS = `
  set local statement_timeout = ${TIME_LIMITS_MS.statement};
  set local lock_timeout = ${TIME_LIMITS_MS.lock};
  set local enable_seqscan = off;
  set local enable_bitmapscan = off;
  set local max_parallel_workers_per_gather = 0;
  set local jit = off`;

/** Once time is up every row matches with a null id, so the limit ends the scan. */
const walkOf = (view: string, titles: string): string => `
  select case when ${TITLE_TEXT} like $1 then document end as id
  from ${view}_address
  where ${titles}
    and (${TITLE_TEXT} like $1
      or clock_timestamp() > statement_timestamp() + $3::float8 * interval '1 millisecond')`;

const allOf = (view: string): string =>
  `${walkOf(view, `address >= 'title:' and address < 'title;' and rank = ${TRACK_RANK.title}`)} limit $2`;
const bestOf = (view: string): string => `${walkOf(view, BEST_TITLES)} order by support desc limit $2`;

/**
 * Compares titles with a pattern one by one until there are enough or time is up: the best supported first, then the rest
 * in the order of their lookup keys.
 */
export async function walkTitles(
  client: PoolClient,
  corpus: TrackCorpus,
  { pattern, skipsBest = false, maxMs = TIME_LIMITS_MS.walk }: TitleWalk,
): Promise<FoundIds> {
  await client.query(SETTINGS);
  const view = TRACK_VIEW[corpus];
  const walk = async (name: string, text: string, limit: number): Promise<WalkResult | null> => {
    const values = [pattern, limit, maxMs];
    const rows = await queryOrTimeout<{ id: string | null }>(client, {
      name: `${corpus}-track-${name}`,
      text,
      values,
    });
    const ids = rows?.flatMap(({ id }) => id ?? []);
    return rows && ids ? { ids, isCut: ids.length < rows.length } : null;
  };
  // Storefronts do not count releases.
  const isBestFirst = corpus === 'mb' && !skipsBest;
  const best = isBestFirst ? await walk('best', bestOf(view), MAX_CANDIDATES + 1) : NOTHING;
  if (best === null) return { ids: [], isTruncated: true };
  const before = best.ids;
  if (before.length > MAX_CANDIDATES) return { ids: before.slice(0, MAX_CANDIDATES), isTruncated: true };
  const all = await walk('walk', allOf(view), MAX_CANDIDATES + 1 + before.length);
  const found = all?.ids ?? [];
  const ids = [...new Set([...before, ...found])].slice(0, MAX_CANDIDATES);
  return { ids, isTruncated: all === null || all.isCut || found.length > MAX_CANDIDATES };
}

interface WalkResult {
  readonly ids: readonly string[];
  readonly isCut: boolean;
}

const NOTHING: WalkResult = { ids: [], isCut: false };

/** Null if the statement timed out, which aborts the transaction. */
export async function queryOrTimeout<Row extends QueryResultRow>(
  client: PoolClient,
  statement: QueryConfig,
): Promise<readonly Row[] | null> {
  try {
    const { rows } = await client.query<Row>(statement);
    return rows;
  } catch (error) {
    if (error instanceof DatabaseError && error.code === QUERY_CANCELED) return null;
    throw error;
  }
}
