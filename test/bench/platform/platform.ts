import { browseProjection } from '../../../projections/models/browse/project.ts';
import { identityProjection } from '../../../projections/models/identity/project.ts';
import { DEFAULT_RATE_LIMITS } from '../../../services/http/limits/tiers.ts';
import { rebuild } from '../../support/projections/rebuild.ts';
import { startRedis } from '../../support/services/redis.ts';
import type { Cleanup } from '../cleanup.ts';
import { type BenchDatabase, openDatabase } from '../database.ts';
import { benchKey, fillDossiers } from '../dossiers.ts';
import { fillTracks } from '../identity/fill-tracks.ts';
import type { BenchOptions } from '../options.ts';
import type { Fairness, FairnessResult } from '../processes/fairness-generator.ts';
import type { BuiltIn, GenerationJob } from '../processes/generation-builder.ts';
import type { HttpLoad, LoadResult } from '../processes/load-generator.ts';
import type { Overload, OverloadResult } from '../processes/overload-generator.ts';
import { type ProgramOptions, startWorker } from '../processes/program.ts';
import { startQueryProcess } from '../processes/query-service.ts';
import { step } from '../progress.ts';
import { sampleService } from '../read/sample.ts';
import type { Figure } from '../report.ts';
import { writeCorpus } from '../search/write-corpus.ts';
import { settle } from '../settle.ts';
import { measureCosts } from './measure-costs.ts';
import { measureFairness } from './measure-fairness.ts';
import { measureOverload } from './measure-overload.ts';
import { type Subjects, startSubjects } from './subjects.ts';

/** Tracks and release groups to one artist. */
const ONE_ARTIST_HAS = 5;

interface PlatformStage {
  readonly options: BenchOptions;
  readonly database: BenchDatabase;
  readonly key: string;
  readonly own: (name: string) => ProgramOptions;
}

/** What keys, limits, ids and metrics cost a dossier, and what becomes of the service when more is asked of it than it can do. */
export async function* benchPlatform(options: BenchOptions, cleanup: Cleanup): AsyncGenerator<Figure> {
  const database = await step('starting PostgreSQL', () => openDatabase(cleanup));
  await fillDossiers(database, options);
  const { only, profiles } = options;
  const own = (name: string): ProgramOptions => ({ name, profiles, cleanup });
  const stage = { options, database, key: await benchKey(database, 'standard'), own };
  if (only !== 'fairness') yield* dossierStages(stage, cleanup);
  if (only === null || only === 'fairness') yield* fairnessStage(stage);
}

async function* dossierStages(
  { options, database, key, own }: PlatformStage,
  cleanup: Cleanup,
): AsyncGenerator<Figure> {
  const { only, profiles } = options;
  const redis = await step('starting Redis', startRedis);
  cleanup.add(() => redis.stop());
  const subjects = await step('starting the services', () =>
    startSubjects({
      databaseUrl: database.url,
      redisUrl: redis.address,
      mostAtOnce: 2 * options.connections,
      profiles,
      cleanup,
    }),
  );
  await step('checking answers', () => checkAnswers(subjects, key, options.artists));
  if (only !== 'overload') {
    const generator = startWorker<HttpLoad, LoadResult>('./load-generator.ts', own('load'));
    yield* await step('dossiers, each service by turns', () =>
      measureCosts({ options, key, subjects, generator }),
    );
    await generator.stop();
  }
  if (only !== 'costs') {
    const flood = startWorker<Overload, OverloadResult>('./overload-generator.ts', own('overload'));
    // They are all of one key, which is not what is measured.
    const manyAtOnce = await benchKey(database, 'unlimited');
    yield* await step('more clients than the service can serve', () =>
      measureOverload({ options, key: manyAtOnce, subjects, flood }),
    );
    await flood.stop();
  }
  for (const subject of Object.values(subjects)) await subject.stop();
}

/** With the data of all costly routes, and a service with its real limits. */
async function* fairnessStage({ options, database, key, own }: PlatformStage): AsyncGenerator<Figure> {
  const several = ONE_ARTIST_HAS * options.artists;
  for (const projection of [identityProjection, browseProjection])
    await step(`building ${projection.name}`, () => rebuild(database.pool, projection, database.registry));
  await step(`writing ${several} tracks`, () => fillTracks(database, several));
  await step(`writing ${several} release groups`, () =>
    writeCorpus(database, { seed: options.seed, releaseGroups: several }),
  );
  const builder = startWorker<GenerationJob, BuiltIn>('./generation-builder.ts', own('generation'));
  await step('building the search index', () => builder.run({ databaseUrl: database.url }));
  await builder.stop();
  await step('settling the database', () => settle(database));
  const env = { OPS_PORT: '0', RATE_LIMIT_PER_MINUTE: String(DEFAULT_RATE_LIMITS.perKey) };
  const startService = (name: string) => startQueryProcess(database.url, { ...own(name), env });
  const [subject, other] = await Promise.all([startService('query-fair'), startService('query-other')]);
  const greedyKey = await benchKey(database, 'standard');
  const startClients = (name: string) =>
    startWorker<Fairness, FairnessResult>('./fairness-generator.ts', own(name));
  const [modest, greedy] = [startClients('modest'), startClients('greedy')];
  yield* await step('one key at its limits, another one beside it', () =>
    measureFairness({ options, subject, other, key, greedyKey, modest, greedy }),
  );
}

async function checkAnswers(subjects: Subjects, key: string, artists: number): Promise<void> {
  for (const { port } of [subjects.bare, subjects.inProcess, subjects.shared])
    await sampleService(port, key, artists);
}
