import type { Pool, PoolClient } from 'pg';
import { transaction } from '../../db/transaction.ts';
import { type Corpus, type FoundTracks, parseTracks, TRACK_VIEW } from './document.ts';
import { MOST_CANDIDATES, type TitleCandidates } from './find-titles.ts';
import { searchable } from './searchable.ts';
import { TITLE_BANDS, TITLE_TEXT } from './title-index.ts';
import { type FoundIds, inTime, MOST_MS, walkTitles } from './walk-titles.ts';

/**
 * What is searched is read by the index of its band and no other way, for where few titles match, every other way goes
 * through all of them; and never for longer than the statement may take.
 */
const SETTINGS = `
  set local statement_timeout = ${MOST_MS.statement};
  set local enable_seqscan = off;
  set local enable_indexscan = off;
  set local enable_indexonlyscan = off;
  set local max_parallel_workers_per_gather = 0;
  set local jit = off;
  set local work_mem = '64MB'`;

/**
 * How many bands, from the first on, a statement reads one after the other. Those that hold few titles share one; what
 * one has found by the time it is cut short is lost.
 */
const TOGETHER = [6, 3, Number.POSITIVE_INFINITY];

/** Planned as if all were wanted, yet no more are fetched than are asked for. */
const partsOf = (view: string, bands: readonly string[]): string => `
  with candidate as materialized (${bands
    .map((band) => `select document from ${view}_address where ${band} and ${TITLE_TEXT} like $1`)
    .join(' union all ')})
  select document as id from candidate limit $2`;

const statementsOf = (corpus: Corpus): string[] => {
  let from = 0;
  return TOGETHER.flatMap((count) => {
    const bands = TITLE_BANDS[corpus].slice(from, from + count);
    from += count;
    return bands.length === 0 ? [] : [partsOf(TRACK_VIEW[corpus], bands)];
  });
};

const STATEMENTS: Readonly<Record<Corpus, readonly string[]>> = {
  mb: statementsOf('mb'),
  storefront: statementsOf('storefront'),
};

const documentsOf = (view: string): string => `
  select key, convert_from(body, 'UTF8') as body from ${view} where id = any($1::uuid[])`;

/**
 * Finds documents that hold titles with a part, from the best supported on, until there are enough of them or time is
 * up: no part takes longer than a second, however many titles have it or nearly have it.
 *
 * @param part of a title, lowered
 */
export async function findParts(pool: Pool, corpus: Corpus, part: string): Promise<TitleCandidates> {
  const { text, isIndexed } = searchable(part);
  const pattern = `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
  const found = isIndexed
    ? await transaction(pool, (client) => walkBands(client, corpus, pattern))
    : await transaction(pool, (client) => walkTitles(client, corpus, pattern));
  const { ids, isTruncated } =
    isIndexed && found.isTruncated && found.ids.length === 0
      ? await transaction(pool, (client) => walkTitles(client, corpus, pattern, 'any order'))
      : found;
  return { documents: await readDocuments(pool, corpus, ids), isTruncated };
}

async function walkBands(client: PoolClient, corpus: Corpus, pattern: string): Promise<FoundIds> {
  const ids: string[] = [];
  const start = performance.now();
  await client.query(SETTINGS);
  for (const [number, text] of STATEMENTS[corpus].entries()) {
    const isLate = performance.now() - start > MOST_MS.begun;
    const values = [pattern, MOST_CANDIDATES + 1 - ids.length];
    const found = isLate
      ? null
      : await inTime<{ id: string }>(client, { name: `${corpus}-track-parts-${number}`, text, values });
    if (found === null) return { ids, isTruncated: true };
    ids.push(...found.map(({ id }) => id));
    if (ids.length > MOST_CANDIDATES) return { ids: ids.slice(0, MOST_CANDIDATES), isTruncated: true };
  }
  return { ids, isTruncated: false };
}

async function readDocuments(pool: Pool, corpus: Corpus, ids: readonly string[]): Promise<FoundTracks[]> {
  if (ids.length === 0) return [];
  const { rows } = await pool.query<{ key: string; body: string }>({
    name: `${corpus}-track-documents`,
    text: documentsOf(TRACK_VIEW[corpus]),
    values: [[...new Set(ids)]],
  });
  return rows.map(({ key, body }) => parseTracks(key, body));
}
