import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { searchProjection } from '../../../projections/models/search/project.ts';
import { issueKey } from '../../../services/query/keys/keys.ts';
import type { SearchBody } from '../../../services/query/search/schema.ts';
import { findSnapshots, loadSnapshot } from '../../../workers/ingest/snapshots/load-snapshot.ts';
import { keepGeneration } from '../../../workers/jobs/search-generation/keep-generation.ts';
import { rebuild } from '../../support/projections/rebuild.ts';
import type { Cleanup } from '../cleanup.ts';
import { type BenchDatabase, openDatabase } from '../database.ts';
import type { BenchOptions } from '../options.ts';
import { type QueryServiceProcess, startQueryProcess } from '../processes/query-service.ts';
import { step } from '../progress.ts';
import type { Figure } from '../report.ts';
import { type RelevanceQuery, relevanceQueries } from './queries.ts';

const SAMPLE = fileURLToPath(new URL('../../../infra/sample', import.meta.url));
const LEAST_SUCCESS = 0.9;

/** How often the first result is the one that was meant, over the bundled sample. */
export async function* benchRelevance(options: BenchOptions, cleanup: Cleanup): AsyncGenerator<Figure> {
  const database = await step('starting PostgreSQL', () => openDatabase(cleanup));
  await step('indexing the sample', () => indexSample(database));
  const { key } = await issueKey(database.pool, {
    environment: 'test',
    label: `benchmark ${randomBytes(3).toString('hex')}`,
    tier: 'standard',
    expiresAt: null,
  });
  const service = await startQueryProcess(database.url, {
    name: 'query',
    profiles: options.profiles,
    cleanup,
  });
  let asked = 0;
  let right = 0;
  for (const [kind, queries] of Object.entries(relevanceQueries)) {
    let found = 0;
    for (const query of queries) if (await isFirst(query, service, key)) found++;
    asked += queries.length;
    right += found;
    yield {
      name: `success at 1: ${kind}`,
      value: found / queries.length,
      unit: '',
      note: `${queries.length} queries`,
    };
  }
  yield {
    name: 'success at 1',
    value: right / asked,
    unit: '',
    target: { least: LEAST_SUCCESS },
    note: `${asked} queries`,
  };
}

/** The tables that the search is made of, and no others. */
async function indexSample({ pool, registry }: BenchDatabase): Promise<void> {
  const tables = new Set(searchProjection.reads.map(({ source }) => source.table));
  for (const file of await findSnapshots(SAMPLE)) {
    if (tables.has(file.source.table)) await loadSnapshot(pool, registry, file, { timeMs: Date.now() });
  }
  await rebuild(pool, searchProjection, registry);
  await keepGeneration(pool, { force: true });
}

/** Prints the wrong first result and the expected one to stderr. */
async function isFirst(
  { q, title, artist }: RelevanceQuery,
  { port }: QueryServiceProcess,
  key: string,
): Promise<boolean> {
  const url = `http://127.0.0.1:${port}/api/v2/search?${new URLSearchParams({ q, limit: '1' })}`;
  const response = await fetch(url, { headers: { 'x-api-key': key } });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${url} responded with ${response.status}: ${text}`);
  const [first]: SearchBody['results'] = JSON.parse(text).results;
  const isRight =
    first !== undefined &&
    (title === undefined || first.title === title) &&
    (artist === undefined || first.artist === artist);
  if (!isRight) {
    const got = first === undefined ? 'nothing' : `${first.artist} – ${first.title}`;
    process.stderr.write(`${q}: ${got} instead of ${artist ?? 'anybody'} – ${title ?? 'anything'}\n`);
  }
  return isRight;
}
