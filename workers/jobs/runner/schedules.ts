import { isDeepStrictEqual } from 'node:util';
import type { JobSchedulerJson } from 'bullmq';
import type { Pool, PoolClient } from 'pg';
import { LOCKS } from '../../../db/locks.ts';
import { transaction } from '../../../db/transaction.ts';
import { retry } from '../../../infra/runtime/retry.ts';
import type { Job } from '../define-job.ts';
import { queueOptions } from './enqueue.ts';
import type { JobData, JobQueue } from './queue.ts';

/** Time zone of cron patterns. */
const ZONE = 'UTC';
/** Codes of BullMQ and of PostgreSQL (deadlock) for a schedule that another worker changes at the same moment. */
const COLLISIONS: readonly unknown[] = [-10, -11, '40P01'];
// Bounded, because a worker may hang while it holds the lock.
const LOCK = `set local lock_timeout = '10s'; select pg_advisory_xact_lock(${LOCKS.schedules})`;
const COLLISION_RETRIES = 10;
const COLLISION_BACKOFF = { firstMs: 10, maxMs: 500 };

/**
 * Sets new and changed schedules in the queue, and removes those no longer declared. It skips unchanged ones, because
 * BullMQ drops an overdue run when its schedule is set again. Several workers may declare concurrently.
 */
export function declareSchedules(queue: JobQueue, jobs: readonly Job[], pool: Pool): Promise<void> {
  return retry(() => transaction(pool, (client) => declareLocked(queue, jobs, client)), {
    backoff: COLLISION_BACKOFF,
    retries: COLLISION_RETRIES,
    isRetryable: (error) => error instanceof Error && 'code' in error && COLLISIONS.includes(error.code),
  });
}

/**
 * Declares while no other worker does. Two workers on both sides of a due time compute different next runs; BullMQ on
 * PostgreSQL would keep both, the earlier one as the next, and its end would schedule nothing.
 */
async function declareLocked(queue: JobQueue, jobs: readonly Job[], client: PoolClient): Promise<void> {
  await client.query(LOCK);
  await declareOnce(queue, jobs);
}

async function declareOnce(queue: JobQueue, jobs: readonly Job[]): Promise<void> {
  const stored = new Map((await queue.getJobSchedulers()).map((scheduler) => [scheduler.key, scheduler]));
  for (const job of jobs) {
    if (job.schedule === null) continue;
    const scheduler = stored.get(job.name);
    stored.delete(job.name);
    if (scheduler !== undefined && (await isUpToDate(queue, scheduler, job))) continue;
    await queue.upsertJobScheduler(
      job.name,
      { pattern: job.schedule, tz: ZONE },
      { name: job.name, data: job.parse({}), opts: queueOptions(job) },
    );
  }
  for (const undeclared of stored.keys()) await queue.removeJobScheduler(undeclared);
}

/** Whether a stored schedule is the declared one and its next run is queued. */
async function isUpToDate(
  queue: JobQueue,
  { key, pattern, tz, template, next }: JobSchedulerJson<JobData>,
  job: Job,
): Promise<boolean> {
  if (pattern !== job.schedule || tz !== ZONE) return false;
  if (!isDeepStrictEqual(template, { data: job.parse({}), opts: queueOptions(job) })) return false;
  const nextRun = await queue.getJob(`repeat:${key}:${next}`);
  return nextRun !== undefined && nextRun.finishedOn === undefined;
}
