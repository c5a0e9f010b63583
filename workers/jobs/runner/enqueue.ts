import { randomBytes } from 'node:crypto';
import type { JobsOptions } from 'bullmq';
import type { Job } from '../define-job.ts';
import type { JobQueue } from './queue.ts';

/** Ended jobs of either outcome that the queue keeps. */
const KEPT_JOBS = 200;

export const queueOptions = ({ attempts, backoff }: Job) =>
  ({
    attempts,
    backoff: { type: 'exponential', delay: backoff, jitter: 0.5 },
    removeOnComplete: { count: KEPT_JOBS },
    removeOnFail: { count: KEPT_JOBS },
  }) satisfies JobsOptions;

/** Queues a job and returns its id there. @throws if the job cannot run with this data */
export async function enqueueJob(queue: JobQueue, job: Job, data: unknown): Promise<string> {
  // The queue's own numbers start again when the queue is lost, and the history would mix two jobs.
  const jobId = `${job.name}-${randomBytes(4).toString('hex')}`;
  await queue.add(job.name, job.parse(data), { ...queueOptions(job), jobId });
  return jobId;
}
