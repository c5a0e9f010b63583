import { pino } from 'pino';
import { connect, WATCH_LIMITS } from '../../db/connect.ts';
import { readConfig } from '../../infra/runtime/config.ts';
import { serveOperations } from '../../infra/runtime/operations-server.ts';
import { processMetrics } from '../../infra/runtime/process-metrics.ts';
import { renice } from '../../infra/runtime/renice.ts';
import { shutDownOnSignal } from '../../infra/runtime/shutdown.ts';
import { currentDay } from '../../projections/engine/day.ts';
import { freshnessMetrics } from '../../projections/engine/freshness/freshness-metrics.ts';
import { readinessOf } from '../../projections/engine/freshness/readiness.ts';
import { projections } from '../../projections/index.ts';
import { importMetrics } from '../../projections/models/taste/import-metrics.ts';
import { projectMetrics } from '../project/metrics.ts';
import { readTasteSettings } from '../taste/config.ts';
import { JobsConfig } from './config.ts';
import { connectJobs, startJobs } from './runner/start-jobs.ts';
import { readSearchCluster } from './search-generation/cluster/config.ts';
import { followChanges } from './search-generation/cluster/follow-changes.ts';

renice();
const config = readConfig(JobsConfig);
// Each run reads them again; reading them here reports invalid ones at the start.
readTasteSettings();
currentDay();
const cluster = readSearchCluster();
const log = pino({ level: config.LOG_LEVEL }).child({ component: 'jobs' });
const pool = connectJobs(config.DATABASE_URL);
const jobs = startJobs({
  pool,
  log,
  databaseUrl: config.DATABASE_URL,
  redisUrl: config.REDIS_URL,
  redisPrefix: config.REDIS_PREFIX,
  lockMs: config.JOB_LOCK_MS,
});
const following = cluster === null ? null : followChanges({ pool, cluster, log });
const watchPool = connect(config.DATABASE_URL, 'watch', WATCH_LIMITS);
const operations = await serveOperations({
  port: config.OPS_PORT,
  host: config.OPS_HOST,
  readiness: readinessOf(watchPool, { findings: jobs.findings }),
  metrics: [
    processMetrics({ work: pool }),
    // Jobs rebuild read models.
    projectMetrics,
    freshnessMetrics(watchPool, projections),
    importMetrics(pool),
  ],
  log,
});
shutDownOnSignal(log, async () => {
  await Promise.all([jobs.stop(), following?.stop()]);
  await cluster?.close();
  await pool.end();
  await operations?.stop();
  await watchPool.end();
});
