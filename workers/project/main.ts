import { once } from 'node:events';
import { pino } from 'pino';
import { connect } from '../../db/connect.ts';
import { registerSources } from '../../projections/registry.ts';
import { ownFingerprints } from '../../projections/store/fingerprint.ts';
import { readConfig } from '../config.ts';
import { endOnSignal } from '../end-on-signal.ts';
import { untilItWorks } from '../until-it-works.ts';
import { showBuild } from '../watch/metrics.ts';
import { serveWorker } from '../watch/serve-worker.ts';
import { BUILD_CONNECTIONS } from './build-version.ts';
import { ProjectConfig } from './config.ts';
import { keepVersions } from './keep-versions.ts';
import { runProjector } from './run-projector.ts';

const CONNECT_TIMEOUT_MS = 5_000;

const config = readConfig(ProjectConfig);
const log = pino({ level: config.LOG_LEVEL }).child({ component: 'project' });
// Of the code that runs, before anything is put in its place.
ownFingerprints();
const ending = new AbortController();
const running = run(ending.signal);
endOnSignal(log, () => {
  ending.abort();
  return running;
});

async function run(signal: AbortSignal): Promise<void> {
  const pool = connect(config.DATABASE_URL, 'project', {
    max: 4,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  const buildPool = connect(config.DATABASE_URL, 'build', {
    max: BUILD_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  const operations = await serveWorker({
    databaseUrl: config.DATABASE_URL,
    port: config.OPS_PORT,
    host: config.OPS_HOST,
    pool,
    needsReadModels: true,
    log,
  });
  const registry = await untilItWorks(() => registerSources(pool), {
    signal,
    log,
    what: 'reach the database',
  });
  if (registry !== null) {
    const projector = runProjector(pool, config.DATABASE_URL, registry, log);
    log.info('projecting');
    // Beside it, so that what is served stays fresh while documents of new code are built.
    const keeping = keepVersions(buildPool, registry, {
      mode: config.REBUILD,
      log,
      signal,
      onProgress: ({ name }, progress) => showBuild(name, progress),
    });
    if (!signal.aborted) await once(signal, 'abort');
    await Promise.all([projector.stop(), keeping]);
  }
  await Promise.all([pool.end(), buildPool.end(), operations?.stop()]);
}
