import { randomBytes } from 'node:crypto';
import type { JobsOptions } from 'bullmq';
import type { Job } from '../define-job.ts';
import type { JobQueue } from './queue.ts';

/** Ended jobs that the queue itself remembers, of either outcome. */
const REMEMBERED = 200;

/** How the queue treats a job that fails, and how many that ended it remembers. */
export const queueOptions = ({ attempts, backoff }: Job) =>
  ({
    attempts,
    backoff: { type: 'exponential', delay: backoff, jitter: 0.5 },
    removeOnComplete: { count: REMEMBERED },
    removeOnFail: { count: REMEMBERED },
  }) satisfies JobsOptions;

/** Puts a job into the queue. Answers the id it has there. @throws where the job cannot run with this data */
export async function enqueueJob(queue: JobQueue, job: Job, data: unknown): Promise<string> {
  // Its own rather than the queue's, whose numbers begin anew when the queue is lost.
  const jobId = `${job.name}-${randomBytes(4).toString('hex')}`;
  await queue.add(job.name, job.parse(data), { ...queueOptions(job), jobId });
  return jobId;
}
