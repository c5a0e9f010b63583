import { isDeepStrictEqual } from 'node:util';
import type { JobSchedulerJson } from 'bullmq';
import type { Pool } from 'pg';
import { LOCKS } from '../../../db/locks.ts';
import { transaction } from '../../../db/transaction.ts';
import type { Job } from '../define-job.ts';
import { queueOptions } from './enqueue.ts';
import type { JobData, JobQueue } from './queue.ts';

/** Cron patterns are in this zone. */
const ZONE = 'UTC';

/**
 * Brings the schedules in the queue to the declared ones: new and changed ones are set, those no longer declared are
 * removed. One that holds already is left alone, because setting it anew would drop a run that is overdue. Workers
 * that start at once take turns.
 */
export async function declareSchedules(pool: Pool, queue: JobQueue, jobs: readonly Job[]): Promise<void> {
  await transaction(pool, async (client) => {
    await client.query('select pg_advisory_xact_lock($1)', [LOCKS.jobSchedules]);
    const stored = new Map((await queue.getJobSchedulers()).map((scheduler) => [scheduler.key, scheduler]));
    for (const job of jobs) {
      if (job.schedule === null) continue;
      const scheduler = stored.get(job.name);
      stored.delete(job.name);
      if (scheduler !== undefined && (await holds(scheduler, job, job.schedule, queue))) continue;
      await queue.upsertJobScheduler(
        job.name,
        { pattern: job.schedule, tz: ZONE },
        { name: job.name, data: job.parse({}), opts: queueOptions(job) },
      );
    }
    for (const undeclared of stored.keys()) await queue.removeJobScheduler(undeclared);
  });
}

/** Whether a stored schedule is the declared one, and its next run is still to come. */
async function holds(
  { key, pattern, tz, template, next }: JobSchedulerJson<JobData>,
  job: Job,
  schedule: string,
  queue: JobQueue,
): Promise<boolean> {
  if (pattern !== schedule || tz !== ZONE) return false;
  if (!isDeepStrictEqual(template, { data: job.parse({}), opts: queueOptions(job) })) return false;
  const upcoming = await queue.getJob(`repeat:${key}:${next}`);
  return upcoming !== undefined && upcoming.finishedOn === undefined;
}
