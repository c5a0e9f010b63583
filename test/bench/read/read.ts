import { randomBytes } from 'node:crypto';
import { artistProjection } from '../../../projections/models/artist/project.ts';
import { issueKey } from '../../../services/query/keys/keys.ts';
import { rebuild } from '../../support/projections/rebuild.ts';
import type { Cleanup } from '../cleanup.ts';
import { fillBenchMirror } from '../data/fill-mirror.ts';
import { type BenchDatabase, openDatabase } from '../database.ts';
import type { BenchOptions } from '../options.ts';
import type { ConstantAnswer } from '../processes/constant-server.ts';
import type { HttpLoad, LoadResult } from '../processes/load-generator.ts';
import type { Lookups } from '../processes/lookups.ts';
import { type ProgramOptions, startWorker } from '../processes/program.ts';
import { PATIENT, startQueryProcess } from '../processes/query-service.ts';
import { step } from '../progress.ts';
import type { Figure } from '../report.ts';
import { settle } from '../settle.ts';
import { spread } from '../statistics.ts';
import { readCases } from './cases.ts';
import { measureCase } from './measure-case.ts';
import { sampleService } from './sample.ts';

const SWEEP = [10_000, 100_000, 300_000];
/** At this size a sweep measures every kind of request, at the others those that are to stay flat. */
const WHOLE_SIZE = 100_000;
const MOST_SPREAD = 0.15;

/** Reads of artist dossiers over HTTP, as a share of the framework sending a constant of the same size. */
export async function* benchRead(options: BenchOptions, cleanup: Cleanup): AsyncGenerator<Figure> {
  const database = await step('starting PostgreSQL', () => openDatabase(cleanup));
  const sizes = options.sweep ? SWEEP : [options.artists];
  const ratios = new Map<string, number[]>();
  let filled = 0;
  for (const artists of sizes) {
    await step(`writing the rows of ${artists} artists`, () =>
      fillBenchMirror(database, { seed: options.seed, from: filled, to: artists }),
    );
    filled = artists;
    await step('building the dossiers', () => rebuild(database.pool, artistProjection, database.registry));
    await step('settling the database', () => settle(database));
    for await (const figure of measureSize(database, { artists, options, cleanup })) {
      yield figure;
      if (figure.ceiling === undefined) continue;
      const [kind = ''] = figure.name.split(' (');
      ratios.set(kind, [...(ratios.get(kind) ?? []), figure.value / figure.ceiling.value]);
    }
  }
  if (!options.sweep) return;
  for (const [kind, values] of ratios)
    if (values.length > 1)
      yield {
        name: `${kind}: spread over all sizes`,
        value: spread(values),
        unit: '',
        target: { most: MOST_SPREAD },
      };
}

interface Measurement {
  readonly artists: number;
  readonly options: BenchOptions;
  readonly cleanup: Cleanup;
}

async function* measureSize(
  database: BenchDatabase,
  { artists, options, cleanup }: Measurement,
): AsyncGenerator<Figure> {
  const own = (name: string): ProgramOptions => ({ name, profiles: options.profiles, cleanup });
  const { key } = await issueKey(database.pool, {
    environment: 'test',
    label: `benchmark ${randomBytes(3).toString('hex')}`,
    tier: 'standard',
    expiresAt: null,
  });
  const service = await startQueryProcess(database.url, { ...own('query'), env: PATIENT });
  const generator = startWorker<HttpLoad, LoadResult>('./load-generator.ts', own('load'));
  const constant = startWorker<ConstantAnswer, number>('./constant-server.ts', own('constant'));
  const sample = await step('checking responses', () => sampleService(service.port, key, artists));
  const stage = { options, artists, key, service, sample, generator, constant };
  const size = options.sweep ? ` (${artists.toLocaleString('en-US')})` : '';
  const cases =
    options.sweep && artists !== WHOLE_SIZE
      ? readCases.filter(({ isGzip, isConditional }) => isGzip && !isConditional)
      : readCases;
  for (const readCase of cases) {
    yield* await step(`${readCase.name}${size}`, () => measureCase(readCase, size, stage));
  }
  for (const program of [service, constant, generator]) await program.stop();
  if (!options.sweep) yield* lookupFigures(database, { ...options, artists }, own('lookups'));
}

async function* lookupFigures(
  { url }: BenchDatabase,
  { artists, connections, seconds }: BenchOptions,
  own: ProgramOptions,
): AsyncGenerator<Figure> {
  const lookups = startWorker<Lookups, number>('./lookups.ts', own);
  for (const by of ['cluster', 'slug'] as const) {
    for (const concurrent of [connections, 1]) {
      const value = await lookups.run({ url, by, artists, concurrent, seconds: seconds / 4 });
      yield { name: `lookups alone by ${by}, ${concurrent} at a time`, value, unit: '/s' };
    }
  }
  await lookups.stop();
}
