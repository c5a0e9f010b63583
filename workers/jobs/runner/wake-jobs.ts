import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { listen } from '../../../db/listen.ts';
import type { Job } from '../define-job.ts';
import { queueOptions } from './enqueue.ts';
import type { JobQueue } from './queue.ts';

interface WakeOptions {
  readonly databaseUrl: string;
  readonly queue: JobQueue;
  readonly jobs: readonly Job[];
  readonly log: Logger;
  /** Ends the listening. */
  readonly signal: AbortSignal;
}

/**
 * Queues jobs on the notifications they wake on, and once when it starts to listen. Resolves when the signal has ended
 * it.
 */
export async function wakeJobs({ queue, jobs, ...options }: WakeOptions): Promise<void> {
  const wakers = new Map(
    jobs.flatMap((job) =>
      job.wakesOn === undefined ? [] : [[job.wakesOn, wakerOf(queue, job, options.log)]],
    ),
  );
  if (wakers.size === 0) return;
  await listen({
    ...options,
    name: 'jobs notifications',
    channels: [...wakers.keys()],
    onNotification: (channel) => wakers.get(channel)?.(),
    onListening() {
      for (const wake of wakers.values()) wake();
    },
  });
}

/**
 * Queues the job unless it is queued already. While it runs, it is queued once more, because the run may have read
 * before the notification. Sends one request to the queue at a time, however many notifications arrive.
 */
function wakerOf(queue: JobQueue, job: Job, log: Logger): () => void {
  let isAdding = false;
  let isRequested = false;
  const add = async () => {
    while (isRequested) {
      isRequested = false;
      await queue.add(job.name, job.parse({}), {
        ...queueOptions(job),
        jobId: `${job.name}-${randomBytes(4).toString('hex')}`,
        // Workers of the release before deduplicate by the same id.
        deduplication: { id: `${job.name} news`, keepLastIfActive: true },
      });
    }
  };
  return () => {
    isRequested = true;
    if (isAdding) return;
    isAdding = true;
    add()
      .catch((error) => log.warn({ err: error, job: job.name }, 'a notification did not reach the queue'))
      .finally(() => {
        isAdding = false;
      });
  };
}
