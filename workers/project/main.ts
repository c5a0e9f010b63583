import { once } from 'node:events';
import { pino } from 'pino';
import { connect, WATCH_LIMITS } from '../../db/connect.ts';
import { readConfig } from '../../infra/runtime/config.ts';
import { serveOperations } from '../../infra/runtime/operations-server.ts';
import { processMetrics } from '../../infra/runtime/process-metrics.ts';
import { retryForever } from '../../infra/runtime/retry.ts';
import { runUntilSignal } from '../../infra/runtime/shutdown.ts';
import { freshnessMetrics } from '../../projections/engine/freshness/freshness-metrics.ts';
import { readinessOf } from '../../projections/engine/freshness/readiness.ts';
import { registerSources } from '../../projections/engine/registry.ts';
import { projections } from '../../projections/index.ts';
import { BUILD_CONNECTIONS } from './build-version.ts';
import { ProjectConfig } from './config.ts';
import { keepVersions } from './keep-versions.ts';
import { projectMetrics, setBuildProgress } from './metrics.ts';
import { runProjector } from './run-projector.ts';

const CONNECT_TIMEOUT_MS = 5_000;

const config = readConfig(ProjectConfig);
const log = pino({ level: config.LOG_LEVEL }).child({ component: 'project' });
runUntilSignal(log, run);

async function run(signal: AbortSignal): Promise<void> {
  const pool = connect(config.DATABASE_URL, 'project', {
    max: 4,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  const buildPool = connect(config.DATABASE_URL, 'build', {
    max: BUILD_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  const watchPool = connect(config.DATABASE_URL, 'watch', WATCH_LIMITS);
  const operations = await serveOperations({
    port: config.OPS_PORT,
    host: config.OPS_HOST,
    readiness: readinessOf(watchPool, { projections }),
    metrics: [processMetrics({ work: pool }), projectMetrics, freshnessMetrics(watchPool, projections)],
    log,
  });
  const registry = await retryForever(() => registerSources(pool), {
    signal,
    log,
    what: 'reach the database',
  });
  if (registry !== null) {
    const projector = runProjector(pool, registry, { databaseUrl: config.DATABASE_URL, log });
    log.info('projecting');
    // Concurrently, so that served versions stay current while documents of new code are built.
    const keeping = keepVersions(buildPool, registry, {
      mode: config.REBUILD,
      log,
      signal,
      onProgress: ({ name }, progress) => setBuildProgress(name, progress),
    });
    if (!signal.aborted) await once(signal, 'abort');
    await Promise.all([projector.stop(), keeping]);
  }
  await Promise.all([pool.end(), buildPool.end(), watchPool.end(), operations?.stop()]);
}
