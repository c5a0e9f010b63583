import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../../infra/embedded/free-port.ts';
import type { Cleanup } from '../cleanup.ts';
import { openDatabase } from '../database.ts';
import { benchKey, fillDossiers } from '../dossiers.ts';
import type { BenchOptions } from '../options.ts';
import { startWorker, type Worker } from '../processes/program.ts';
import { startQueryProcess } from '../processes/query-service.ts';
import type { SoakJob, SoakResponses } from '../processes/soak-load.ts';
import { step } from '../progress.ts';
import type { Figure } from '../report.ts';
import { type SoakRun, soakFigures } from './figures.ts';
import { sampleOften } from './follow.ts';
import { type Holdings, holdingsOf } from './metrics.ts';

const WARM_UP_MS = 10_000;
const MINUTE_MS = 60_000;
/** After this time, the service has closed the connections that clients left. */
const REST_MS = 8_000;

/**
 * A long load of clients that give up at random, with a restart of the database amid it. What the process holds must be
 * the same afterwards as before.
 */
export async function* benchSoak(options: BenchOptions, cleanup: Cleanup): AsyncGenerator<Figure> {
  const database = await step('starting PostgreSQL', () => openDatabase(cleanup));
  const { restart } = database;
  if (restart === null)
    throw new Error('the soak restarts the database, so that it needs one of its own: unset DATABASE_URL');
  await fillDossiers(database, options);
  const key = await benchKey(database, 'standard');
  const { profiles, minutes, connections, artists, seed } = options;
  const operations = await freePort();
  const service = await startQueryProcess(database.url, {
    name: 'query',
    env: { OPS_PORT: String(operations) },
    profiles,
    cleanup,
  });
  const load = startWorker<SoakJob, SoakResponses>('./soak-load.ts', { name: 'soak', profiles, cleanup });
  const job: SoakJob = { kind: 'start', port: service.port, key, connections, artists, seed };
  const holdings = async (): Promise<Holdings> =>
    holdingsOf(await (await fetch(`http://127.0.0.1:${operations}/metrics`)).text());

  const before = await step('warming up, then idling', async () => {
    await load.run(job);
    await pause(WARM_UP_MS);
    await load.run({ kind: 'stop' });
    await pause(REST_MS);
    return await holdings();
  });
  yield* soakFigures(await soak({ load, job, holdings, restart, minutes, before }));
}

interface Soaking {
  readonly load: Worker<SoakJob, SoakResponses>;
  readonly job: SoakJob;
  readonly holdings: () => Promise<Holdings>;
  readonly restart: () => Promise<void>;
  readonly minutes: number;
  readonly before: Holdings;
}

async function soak({ load, job, holdings, restart, minutes, before }: Soaking): Promise<SoakRun> {
  const length = minutes * MINUTE_MS;
  process.stderr.write(`soaking for ${minutes} minutes\n`);
  const following = sampleOften(holdings);
  await load.run(job);
  await pause(length / 2);
  const restartedAt = Date.now();
  await step('restarting the database', restart);
  const upAt = Date.now();
  await pause(Math.max(0, length - (upAt - restartedAt) - length / 2));
  const samples = await following.stop();
  const answers = await load.run({ kind: 'stop' });
  await pause(REST_MS);
  return { before, after: await holdings(), samples, answers, upAt, minutes };
}
