import type { Logger } from 'pino';
import { connectJobs, startJobs } from '../../workers/jobs/runner/start-jobs.ts';

/** Does background jobs in this process, with the queue in its database. Answers how to end that. */
export function doJobs(databaseUrl: string, log: Logger): () => Promise<void> {
  const pool = connectJobs(databaseUrl);
  const jobs = startJobs({ databaseUrl, pool, log });
  return async () => {
    await jobs.stop();
    await pool.end();
  };
}
