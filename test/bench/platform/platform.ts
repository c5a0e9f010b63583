import { startRedis } from '../../support/services/redis.ts';
import type { Cleanup } from '../cleanup.ts';
import { openDatabase } from '../database.ts';
import { benchKey, fillDossiers } from '../dossiers.ts';
import type { BenchOptions } from '../options.ts';
import type { Fairness, FairnessResult } from '../processes/fairness-generator.ts';
import type { HttpLoad, LoadResult } from '../processes/load-generator.ts';
import type { Overload, OverloadResult } from '../processes/overload-generator.ts';
import { startWorker } from '../processes/program.ts';
import { step } from '../progress.ts';
import { sampleService } from '../read/sample.ts';
import type { Figure } from '../report.ts';
import { measureCosts } from './measure-costs.ts';
import { measureFairness } from './measure-fairness.ts';
import { measureOverload } from './measure-overload.ts';
import { type Subjects, startSubjects } from './subjects.ts';

/** What keys, limits, ids and metrics cost a dossier, and what becomes of the service when more is asked of it than it can do. */
export async function* benchPlatform(options: BenchOptions, cleanup: Cleanup): AsyncGenerator<Figure> {
  const database = await step('starting PostgreSQL', () => openDatabase(cleanup));
  await fillDossiers(database, options);
  const key = await benchKey(database, 'standard');
  const redis = await step('starting Redis', startRedis);
  cleanup.add(() => redis.stop());
  const { profiles } = options;
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
  const generator = startWorker<HttpLoad, LoadResult>('./load-generator.ts', {
    name: 'load',
    profiles,
    cleanup,
  });
  yield* await step('dossiers, each service by turns', () =>
    measureCosts({ options, key, subjects, generator }),
  );
  await generator.stop();
  const flood = startWorker<Overload, OverloadResult>('./overload-generator.ts', {
    name: 'overload',
    profiles,
    cleanup,
  });
  // They are all of one key, which is not what is measured.
  const manyAtOnce = await benchKey(database, 'unlimited');
  yield* await step('more clients than the service can serve', () =>
    measureOverload({ options, key: manyAtOnce, subjects, flood }),
  );
  await flood.stop();
  const greedyKey = await benchKey(database, 'standard');
  const startClients = (name: string) =>
    startWorker<Fairness, FairnessResult>('./fairness-generator.ts', { name, profiles, cleanup });
  const [modest, greedy] = [startClients('modest'), startClients('greedy')];
  yield* await step('one key at its limits, another one beside it', () =>
    measureFairness({ options, subject: subjects.inProcess, key, greedyKey, modest, greedy }),
  );
}

async function checkAnswers(subjects: Subjects, key: string, artists: number): Promise<void> {
  for (const { port } of [subjects.bare, subjects.inProcess, subjects.shared])
    await sampleService(port, key, artists);
}
