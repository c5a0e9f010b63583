import { stat } from 'node:fs/promises';
import type { Pool } from 'pg';
import { pino } from 'pino';
import { currentDay } from '../../projections/engine/day.ts';
import { isPublished } from '../../projections/engine/published/publish-index.ts';
import type { Registry } from '../../projections/engine/registry.ts';
import { liveVersion } from '../../projections/engine/store/version.ts';
import { projections } from '../../projections/index.ts';
import { auraIndex } from '../../projections/models/aura/compute.ts';
import { breakoutsIndex } from '../../projections/models/breakouts/compute.ts';
import { newestGeneration } from '../../projections/models/search/generation.ts';
import { tastemakersIndex } from '../../projections/models/tastemakers/compute.ts';
import { findSnapshots, loadSnapshot } from '../../workers/ingest/snapshots/load-snapshot.ts';
import { aura } from '../../workers/jobs/aura.ts';
import { breakouts } from '../../workers/jobs/breakouts.ts';
import type { Job } from '../../workers/jobs/define-job.ts';
import { runJob } from '../../workers/jobs/runner/run-job.ts';
import { keepGeneration } from '../../workers/jobs/search-generation/keep-generation.ts';
import { tastemakers } from '../../workers/jobs/tastemakers.ts';
import { buildVersion } from '../../workers/project/build-version.ts';
import { type ProgressBar, startProgress } from './progress.ts';
import { showBuild } from './show-build.ts';

/** Loads the snapshots of a folder. What an earlier start loaded is skipped. */
export async function loadFolder(pool: Pool, registry: Registry, folder: string): Promise<void> {
  const files = await findSnapshots(folder);
  if (files.length === 0)
    throw new Error(`${folder} holds no <schema>.<table>.ndjson[.gz] or .csv[.gz] file`);
  const sizes = await Promise.all(files.map(async ({ path }) => (await stat(path)).size));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const progress = startProgress('Loading producer tables', { total, unit: 'bytes' });
  const loadedAt = Date.now();
  let rows = 0;
  let deadLetters = 0;
  for (const file of files) {
    const onRead = (bytes: number) => progress.advance(bytes);
    const loaded = await loadSnapshot(pool, registry, file, { timeMs: loadedAt, onRead });
    rows += loaded.rows;
    deadLetters += loaded.deadLetters;
  }
  progress.done();
  process.stderr.write(`${files.length} tables, ${rows} new rows, ${deadLetters} dead letters\n`);
}

/** Builds projections that have no live version. A live version of other code serves until `renewInBackground` ends. */
export async function projectFirst(pool: Pool, registry: Registry): Promise<void> {
  for (const projection of projections) {
    if ((await liveVersion(pool, projection.name)) !== null) continue;
    const shown = showBuild(projection.name);
    await buildVersion(pool, projection, registry, {
      promote: true,
      replaceAbandoned: true,
      ...shown.listeners,
    }).finally(shown.end);
  }
}

/** Builds the first generation of the search index. A job builds later ones. */
export async function indexFirst(pool: Pool): Promise<void> {
  if ((await newestGeneration(pool)) !== null) return;
  const shown: { bar: ProgressBar | null; done: number } = { bar: null, done: 0 };
  await keepGeneration(pool, {
    onProgress(done, total) {
      shown.bar ??= startProgress('Indexing the search', { total, unit: 'documents' });
      shown.bar.advance(done - shown.done);
      shown.done = done;
    },
  });
  shown.bar?.done();
}

const INDEXES = [
  { index: auraIndex, job: aura },
  { index: tastemakersIndex, job: tastemakers },
  { index: breakoutsIndex, job: breakouts },
];

/** Publishes the indexes that are missing for the day. If one fails, its job tries again and the rest is served. */
export async function publishFirst(pool: Pool): Promise<void> {
  const missing: typeof INDEXES = [];
  for (const one of INDEXES) if (!(await isPublished(pool, one.index, currentDay()))) missing.push(one);
  if (missing.length === 0) return;
  const progress = startProgress('Publishing indexes', { total: missing.length, unit: 'indexes' });
  for (const { job } of missing) {
    await runHere(job, pool).catch((error) =>
      process.stderr.write(`${job.name} cannot be published yet: ${error}\n`),
    );
    progress.advance(1);
  }
  progress.done();
}

const runHere = (job: Job, pool: Pool) =>
  runJob(
    job,
    {},
    {
      pool,
      log: pino({ level: 'warn' }, pino.destination(2)),
      signal: new AbortController().signal,
      report: () => {},
      jobId: null,
      attempt: 1,
      waitForDatabase: false,
    },
  );
