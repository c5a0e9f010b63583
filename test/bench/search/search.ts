import { randomBytes } from 'node:crypto';
import { issueKey } from '../../../services/query/keys/keys.ts';
import type { Cleanup } from '../cleanup.ts';
import { openDatabase } from '../database.ts';
import type { BenchOptions } from '../options.ts';
import type { BuiltIn, GenerationJob } from '../processes/generation-builder.ts';
import { type ProgramOptions, startWorker, type Worker } from '../processes/program.ts';
import { startQueryProcess } from '../processes/query-service.ts';
import { residentMemory } from '../processes/resources.ts';
import type { SqliteJob, SqliteResult } from '../processes/sqlite-search.ts';
import { step } from '../progress.ts';
import type { Figure } from '../report.ts';
import { percentile } from '../statistics.ts';
import { timesUntilFound } from './changes.ts';
import type { Corpus } from './corpus.ts';
import { type BenchQuery, benchQueries } from './queries.ts';
import { type Answered, askAll, sendSearch, type Target } from './send-search.ts';
import { writeCorpus } from './write-corpus.ts';

const WARM_ROUNDS = 3;
/** Bounds of what is measured, in milliseconds but for the last three. */
const MOST = {
  p95: 60,
  max: 250,
  cold: 1_000,
  found: 5_000,
  shareOfPeer: 0.2,
  buildSeconds: 600,
  megabytes: 700,
};

/** Searches through HTTP, each with its total, rows and facets; the same searches by a kept engine beside them. */
export async function* benchSearch(options: BenchOptions, cleanup: Cleanup): AsyncGenerator<Figure> {
  const corpus: Corpus = { seed: options.seed, releaseGroups: options.releaseGroups };
  const queries = benchQueries(corpus);
  const own = (name: string): ProgramOptions => ({ name, profiles: options.profiles, cleanup });
  const peer = startWorker<SqliteJob, SqliteResult>('./sqlite-search.ts', own('sqlite'));
  await step(`writing ${corpus.releaseGroups} release groups into SQLite`, () =>
    peer.run({ kind: 'build', corpus }),
  );
  const ofPeer = await step('the same searches by SQLite', () => measurePeer(peer, queries));
  await peer.stop();

  const database = await step('starting PostgreSQL', () => openDatabase(cleanup));
  await step(`writing ${corpus.releaseGroups} documents`, () => writeCorpus(database, corpus));
  const builder = startWorker<GenerationJob, BuiltIn>('./generation-builder.ts', own('generation'));
  const build = (name: string) => timeBuild(builder, database.url, name);
  yield await step('building a generation', () => build('a generation is built'));
  const service = await startQueryProcess(database.url, own('query'));
  const { key } = await issueKey(database.pool, {
    environment: 'test',
    label: `benchmark ${randomBytes(3).toString('hex')}`,
    tier: 'standard',
    expiresAt: null,
  });
  const target: Target = { port: service.port, key };
  // The first search waits until the index is open, which is not what is measured.
  await step('opening the index', () =>
    sendSearch(target, { kind: '', q: 'zzzqx', filters: {}, offset: 0, limit: 1 }),
  );
  const cold = await step('searching, cold', () => askAll(target, queries));
  checkTotals(queries, cold, ofPeer.totals);
  yield figure('cold: max', Math.max(...cold.map(({ ms }) => ms)), { most: MOST.cold });
  const warm = await step('searching, warm', () => searchWarm(target, queries));
  yield* warmFigures(warm, ofPeer.latencies);
  yield* kindFigures(queries, warm, ofPeer.latencies);
  const found = await step('changing release groups', () => timesUntilFound(database, target));
  yield figure('a change is found: max', Math.max(...found), { most: MOST.found });
  yield* await step('replacing the generation under load', () =>
    measureSwap(() => build('another generation is built, under load'), target, queries),
  );
  yield {
    name: 'memory of the query process',
    value: residentMemory(service.pid),
    unit: 'MiB',
    target: { most: MOST.megabytes },
    note: 'after two generations',
  };
}

const figure = (name: string, value: number, target: { readonly most: number }): Figure => ({
  name,
  value,
  unit: 'ms',
  target,
});

async function measurePeer(
  peer: { run(job: SqliteJob): Promise<SqliteResult> },
  queries: readonly BenchQuery[],
): Promise<SqliteResult> {
  const { totals } = await peer.run({ kind: 'search', queries });
  const latencies: number[] = [];
  for (let round = 0; round < WARM_ROUNDS; round++)
    latencies.push(...(await peer.run({ kind: 'search', queries })).latencies);
  return { latencies, totals };
}

async function timeBuild(
  builder: Worker<GenerationJob, BuiltIn>,
  databaseUrl: string,
  name: string,
): Promise<Figure> {
  const { seconds, documents } = await builder.run({ databaseUrl });
  return {
    name,
    value: seconds,
    unit: 's',
    target: { most: MOST.buildSeconds },
    note: `${documents} documents`,
  };
}

/** @throws where the two sides do not find the same, so that they would not be doing the same work */
function checkTotals(
  queries: readonly BenchQuery[],
  answers: readonly Answered[],
  totals: readonly number[],
): void {
  for (const [index, query] of queries.entries()) {
    const own = answers[index]?.body.pagination.total_results;
    if (own !== totals[index])
      throw new Error(`${JSON.stringify(query)} finds ${own}, and ${totals[index]} in SQLite`);
  }
}

async function searchWarm(target: Target, queries: readonly BenchQuery[]): Promise<number[]> {
  const latencies: number[] = [];
  for (let round = 0; round < WARM_ROUNDS; round++)
    for (const { ms } of await askAll(target, queries)) latencies.push(ms);
  return latencies;
}

function* warmFigures(warm: readonly number[], peer: readonly number[]): Iterable<Figure> {
  const note = (latencies: readonly number[]): string =>
    `p50 ${percentile(latencies, 0.5).toFixed(1)}, p95 ${percentile(latencies, 0.95).toFixed(1)}, max ${Math.max(...latencies).toFixed(0)} ms`;
  yield figure('warm: p95', percentile(warm, 0.95), { most: MOST.p95 });
  yield figure('warm: max', Math.max(...warm), { most: MOST.max });
  yield {
    name: 'warm: p95 beside SQLite FTS5',
    value: percentile(warm, 0.95),
    unit: 'ms',
    ceiling: { name: 'SQLite FTS5 without HTTP', value: percentile(peer, 0.95) },
    target: { most: MOST.shareOfPeer },
    note: `${note(warm)}; SQLite ${note(peer)}`,
  };
}

function* kindFigures(
  queries: readonly BenchQuery[],
  warm: readonly number[],
  peer: readonly number[],
): Iterable<Figure> {
  for (const kind of new Set(queries.map((query) => query.kind))) {
    const ofKind = (latencies: readonly number[]): number[] =>
      latencies.filter((_, index) => queries[index % queries.length]?.kind === kind);
    yield {
      name: `warm, ${kind}: p95`,
      value: percentile(ofKind(warm), 0.95),
      unit: 'ms',
      ceiling: { name: 'SQLite', value: percentile(ofKind(peer), 0.95) },
    };
  }
}

/** Searches go on while another generation is built and taken up; none may fail. */
async function measureSwap(
  build: () => Promise<Figure>,
  target: Target,
  queries: readonly BenchQuery[],
): Promise<Figure[]> {
  const latencies: number[] = [];
  let left = Number.POSITIVE_INFINITY;
  const searchOn = async (): Promise<void> => {
    for (let at = 0; left > 0; at++, left--) {
      const [answered] = await askAll(target, queries.slice(at % queries.length, (at % queries.length) + 1));
      if (answered !== undefined) latencies.push(answered.ms);
    }
  };
  const buildMeanwhile = async (): Promise<Figure> => {
    const built = await build();
    // Each once more, so that they meet the new generation while it is cold.
    left = queries.length;
    return built;
  };
  const [built] = await Promise.all([buildMeanwhile(), searchOn()]);
  return [
    built,
    figure('searches meanwhile: p95', percentile(latencies, 0.95), { most: MOST.max }),
    figure('searches meanwhile: max', Math.max(...latencies), { most: MOST.cold }),
  ];
}
