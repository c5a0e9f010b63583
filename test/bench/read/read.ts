import { randomBytes } from 'node:crypto';
import { artistProjection } from '../../../projections/artist/project.ts';
import { issueKey } from '../../../services/access/keys.ts';
import { rebuild } from '../../../workers/project/build-version.ts';
import type { Cleanup } from '../cleanup.ts';
import { fillMirror } from '../data/fill-mirror.ts';
import { type BenchDatabase, openDatabase } from '../database.ts';
import { interleave, mean } from '../interleave.ts';
import type { BenchOptions } from '../options.ts';
import type { ConstantAnswer } from '../processes/constant-server.ts';
import type { Load, LoadResult } from '../processes/load-generator.ts';
import type { Lookups } from '../processes/lookups.ts';
import { type ProgramOptions, startWorker, type Worker } from '../processes/program.ts';
import { startQueryProcess } from '../processes/query-service.ts';
import { step } from '../progress.ts';
import type { Figure } from '../report.ts';
import { spread } from '../statistics.ts';
import { type ReadCase, readCases } from './cases.ts';
import { type Sample, sampleService } from './sample.ts';

const SWEEP = [10_000, 100_000, 300_000];
const WARM_UP_SECONDS = 2;
const MOST_P99_MS = 60;
const MOST_SPREAD = 0.15;

/** What the load is put on, and by. */
interface Stage {
  readonly options: BenchOptions;
  readonly artists: number;
  readonly key: string;
  readonly servicePort: number;
  readonly sample: Sample;
  readonly generator: Worker<Load, LoadResult>;
  readonly constant: Worker<ConstantAnswer, number>;
}

/** Reads of artist dossiers over HTTP, as a share of the framework sending a constant of the same size. */
export async function* benchRead(options: BenchOptions, cleanup: Cleanup): AsyncGenerator<Figure> {
  const database = await step('starting PostgreSQL', () => openDatabase(cleanup));
  const sizes = options.sweep ? SWEEP : [options.artists];
  const ratios = new Map<string, number[]>();
  let filled = 0;
  for (const artists of sizes) {
    await step(`writing the rows of ${artists} artists`, () =>
      fillMirror(database, options.seed, filled, artists),
    );
    filled = artists;
    await step('building the dossiers', () =>
      rebuild(database.pool, artistProjection, database.registry, `bench ${artists}`),
    );
    for await (const figure of measureSize(database, artists, options, cleanup)) {
      yield figure;
      if (figure.ceiling === undefined) continue;
      const [kind = ''] = figure.name.split(' (');
      ratios.set(kind, [...(ratios.get(kind) ?? []), figure.value / figure.ceiling.value]);
    }
  }
  if (!options.sweep) return;
  for (const [kind, values] of ratios)
    yield {
      name: `${kind}: spread over all sizes`,
      value: spread(values),
      unit: '',
      target: { most: MOST_SPREAD },
    };
}

async function* measureSize(
  database: BenchDatabase,
  artists: number,
  options: BenchOptions,
  cleanup: Cleanup,
): AsyncGenerator<Figure> {
  const own = (name: string): ProgramOptions => ({ name, profiles: options.profiles, cleanup });
  const { key } = await issueKey(database.pool, {
    environment: 'test',
    label: `benchmark ${randomBytes(3).toString('hex')}`,
    tier: 'standard',
    expiresAt: null,
  });
  const service = await startQueryProcess(database.url, own('query'));
  const generator = startWorker<Load, LoadResult>('./load-generator.ts', own('load'));
  const constant = startWorker<ConstantAnswer, number>('./constant-server.ts', own('constant'));
  const sample = await step('checking answers', () => sampleService(service.port, key, artists));
  const stage = { options, artists, key, servicePort: service.port, sample, generator, constant };
  const size = options.sweep ? ` (${artists.toLocaleString('en-US')})` : '';
  const cases = options.sweep
    ? readCases.filter(({ isGzip, isConditional }) => isGzip && !isConditional)
    : readCases;
  for (const readCase of cases) {
    yield* await step(`${readCase.name}${size}`, () => measureCase(readCase, size, stage));
  }
  for (const program of [service, constant, generator]) await program.stop();
  if (!options.sweep) yield* lookupFigures(database, artists, options, own('lookups'));
}

async function measureCase(readCase: ReadCase, size: string, stage: Stage): Promise<Figure[]> {
  const { generator, constant, servicePort, sample } = stage;
  const run = (port: number, seconds: number, seed: number) =>
    generator.run({ ...loadOf(readCase, stage), port, seconds, seed });
  const { bodyBytes } = await run(servicePort, WARM_UP_SECONDS, 0);
  const constantPort = await constant.run(constantOf(readCase, Math.round(bodyBytes)));
  await run(constantPort, WARM_UP_SECONDS, 0);
  const { ceilings, subjects } = await interleave(
    (round) => run(constantPort, stage.options.seconds, round + 1),
    (round) => run(servicePort, stage.options.seconds, round + 1),
  );
  const sizes = readCase.isConditional
    ? 'no body'
    : `${Math.round(bodyBytes)} bytes on the wire, ${Math.round(sample.jsonBytes)} of JSON`;
  const busy = Math.max(...[...ceilings, ...subjects].map((result) => result.busy));
  return [
    {
      name: `${readCase.name}${size}`,
      value: mean(subjects.map(({ perSecond }) => perSecond)),
      unit: '/s',
      ceiling: { name: 'Fastify with a constant', value: mean(ceilings.map(({ perSecond }) => perSecond)) },
      target: { least: readCase.least },
      note: `${sizes}; load generator ${Math.round(busy * 100)} % of a core`,
    },
    {
      name: `${readCase.name}${size}: p99`,
      value: Math.max(...subjects.map(({ p99Ms }) => p99Ms)),
      unit: 'ms',
      target: { most: MOST_P99_MS },
      note: `p50 ${mean(subjects.map(({ p50Ms }) => p50Ms)).toFixed(1)} ms; p99 of the constant ${Math.max(...ceilings.map(({ p99Ms }) => p99Ms)).toFixed(1)} ms`,
    },
  ];
}

const loadOf = (
  readCase: ReadCase,
  { artists, options, key, sample }: Stage,
): Omit<Load, 'port' | 'seconds' | 'seed'> => ({
  artists,
  connections: options.connections,
  by: readCase.by,
  headers: { 'x-api-key': key, ...(readCase.isGzip ? { 'accept-encoding': 'gzip' } : {}) },
  etags: readCase.isConditional ? sample.etags : null,
  expectedStatus: readCase.isConditional ? 304 : 200,
});

const constantOf = (readCase: ReadCase, bytes: number): ConstantAnswer => ({
  status: readCase.isConditional ? 304 : 200,
  body: randomBytes(readCase.isConditional ? 0 : bytes),
  headers: readCase.isConditional
    ? { etag: 'W/"constant"' }
    : {
        'content-type': 'application/json; charset=utf-8',
        ...(readCase.isGzip ? { 'content-encoding': 'gzip' } : {}),
      },
});

async function* lookupFigures(
  { url }: BenchDatabase,
  artists: number,
  { connections, seconds }: BenchOptions,
  own: ProgramOptions,
): AsyncGenerator<Figure> {
  const lookups = startWorker<Lookups, number>('./lookups.ts', own);
  for (const by of ['cluster', 'slug'] as const) {
    for (const concurrent of [connections, 1]) {
      const value = await lookups.run({ url, by, artists, concurrent, seconds: seconds / 2 });
      yield { name: `lookups alone by ${by}, ${concurrent} at a time`, value, unit: '/s' };
    }
  }
  await lookups.stop();
}
