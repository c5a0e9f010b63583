import { pino } from 'pino';
import { ownFingerprints } from '../../projections/store/fingerprint.ts';
import { importMetrics } from '../../projections/taste/import-metrics.ts';
import { readConfig } from '../config.ts';
import { endOnSignal } from '../end-on-signal.ts';
import { stepBack } from '../step-back.ts';
import { readTasteSettings } from '../taste/config.ts';
import { serveWorker } from '../watch/serve-worker.ts';
import { JobsConfig } from './config.ts';
import { connectJobs, startJobs } from './runner/start-jobs.ts';

stepBack();
const config = readConfig(JobsConfig);
// A run reads them anew; what is wrong with them is to be told now.
readTasteSettings();
const log = pino({ level: config.LOG_LEVEL }).child({ component: 'jobs' });
// Of the code that runs, before anything is put in its place.
ownFingerprints();
const pool = connectJobs(config.DATABASE_URL);
const jobs = startJobs({
  pool,
  log,
  databaseUrl: config.DATABASE_URL,
  redisUrl: config.REDIS_URL,
  redisPrefix: config.REDIS_PREFIX,
  lockMs: config.JOB_LOCK_MS,
});
const operations = await serveWorker({
  databaseUrl: config.DATABASE_URL,
  port: config.OPS_PORT,
  host: config.OPS_HOST,
  pool,
  needsReadModels: false,
  findings: jobs.findings,
  metrics: [importMetrics(pool)],
  log,
});
endOnSignal(log, async () => {
  await jobs.stop();
  await pool.end();
  await operations?.stop();
});
