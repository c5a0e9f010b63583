import type { Pool, PoolClient } from 'pg';
import { transaction } from '../../../db/transaction.ts';
import { type FoundTracks, parseTracks, TRACK_VIEW, type TrackCorpus } from './document.ts';
import { MAX_CANDIDATES, type TitleCandidates } from './find-titles.ts';
import { partPattern } from './part-pattern.ts';
import { TITLE_BANDS, TITLE_TEXT } from './title-index.ts';
import { type FoundIds, queryOrTimeout, TIME_LIMITS_MS, walkTitles } from './walk-titles.ts';

/**
 * Forces the bitmap scan of a band's trigram index: for a rare part every other plan reads all titles. Bounds the time of
 * each statement.
 */
const SETTINGS = `
  set local statement_timeout = ${TIME_LIMITS_MS.statement};
  set local lock_timeout = ${TIME_LIMITS_MS.lock};
  set local enable_seqscan = off;
  set local enable_indexscan = off;
  set local enable_indexonlyscan = off;
  set local max_parallel_workers_per_gather = 0;
  set local jit = off;
  set local work_mem = '64MB'`;

/**
 * How many bands each statement reads. Small bands share one; a statement that times out loses what it has found.
 */
const BANDS_PER_STATEMENT = [6, 3, Number.POSITIVE_INFINITY];

/** The materialized CTE makes the planner expect to read all rows, although the limit stops the scan. */
const partsOf = (view: string, bands: readonly string[]): string => `
  with candidate as materialized (${bands
    .map((band) => `select document from ${view}_address where ${band} and ${TITLE_TEXT} like $1`)
    .join(' union all ')})
  select document as id from candidate limit $2`;

const statementsOf = (corpus: TrackCorpus): string[] => {
  let from = 0;
  return BANDS_PER_STATEMENT.flatMap((count) => {
    const bands = TITLE_BANDS[corpus].slice(from, from + count);
    from += count;
    return bands.length === 0 ? [] : [partsOf(TRACK_VIEW[corpus], bands)];
  });
};

const STATEMENTS: Readonly<Record<TrackCorpus, readonly string[]>> = {
  mb: statementsOf('mb'),
  storefront: statementsOf('storefront'),
};

const documentsOf = (view: string): string => `
  select key, convert_from(body, 'UTF8') as body from ${view} where id = any($1::uuid[])`;

/**
 * Finds documents with a part in a title, the best supported first, until there are enough or time is up. No search takes
 * more than a second.
 *
 * @param part of a title, folded (`foldTitle`)
 */
export async function findParts(pool: Pool, corpus: TrackCorpus, part: string): Promise<TitleCandidates> {
  const { text, isIndexed } = partPattern(part);
  const pattern = `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
  const found = isIndexed
    ? await transaction(pool, (client) => walkBands(client, corpus, pattern))
    : await transaction(pool, (client) => walkTitles(client, corpus, { pattern }));
  const { ids, isTruncated } =
    isIndexed && found.isTruncated && found.ids.length === 0
      ? await transaction(pool, (client) => walkTitles(client, corpus, { pattern, skipsBest: true }))
      : found;
  return { documents: await readDocuments(pool, corpus, ids), isTruncated };
}

async function walkBands(client: PoolClient, corpus: TrackCorpus, pattern: string): Promise<FoundIds> {
  const ids: string[] = [];
  const start = performance.now();
  await client.query(SETTINGS);
  for (const [number, text] of STATEMENTS[corpus].entries()) {
    const isLate = performance.now() - start > TIME_LIMITS_MS.begun;
    const values = [pattern, MAX_CANDIDATES + 1 - ids.length];
    const found = isLate
      ? null
      : await queryOrTimeout<{ id: string }>(client, {
          name: `${corpus}-track-parts-${number}`,
          text,
          values,
        });
    if (found === null) return { ids, isTruncated: true };
    ids.push(...found.map(({ id }) => id));
    if (ids.length > MAX_CANDIDATES) return { ids: ids.slice(0, MAX_CANDIDATES), isTruncated: true };
  }
  return { ids, isTruncated: false };
}

async function readDocuments(
  pool: Pool,
  corpus: TrackCorpus,
  ids: readonly string[],
): Promise<FoundTracks[]> {
  if (ids.length === 0) return [];
  const { rows } = await pool.query<{ key: string; body: string }>({
    name: `${corpus}-track-documents`,
    text: documentsOf(TRACK_VIEW[corpus]),
    values: [[...new Set(ids)]],
  });
  return rows.map(({ key, body }) => parseTracks(key, body));
}
