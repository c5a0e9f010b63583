import { DelayedError, UnrecoverableError, WaitingError } from 'bullmq';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Job } from '../define-job.ts';
import type { ProcessJob } from './queue.ts';
import { JobBusy, JobStopped, runJob } from './run-job.ts';

/** When a job that found another of its name under way is tried again. */
const BUSY_MS = 3_000;
/** How often, and for how long, a job that only newer code knows is offered to other workers. */
const UNKNOWN_MS = { again: 10_000, most: 86_400_000 };

export interface ProcessOptions {
  readonly jobs: readonly Job[];
  readonly pool: Pool;
  readonly log: Logger;
  /** Aborted when the worker ends; what is in hand then goes back into the queue. */
  readonly stopping: AbortSignal;
}

/** How a worker does a job from the queue. */
export function processJobs({ jobs, pool, log, stopping }: ProcessOptions): ProcessJob {
  const byName = new Map(jobs.map((job) => [job.name, job]));
  // Three parameters must be declared for the worker to give a signal.
  return async (queued, token, signal) => {
    const postpone = async (ms: number) => {
      await queued.moveToDelayed(Date.now() + ms, token);
      return new DelayedError();
    };
    const job = byName.get(queued.name);
    if (job === undefined) {
      if (Date.now() - queued.timestamp < UNKNOWN_MS.most) throw await postpone(UNKNOWN_MS.again);
      throw new UnrecoverableError(`no worker knows a job named ${queued.name}`);
    }
    const child = log.child({ job: job.name, id: queued.id, attempt: queued.attemptsMade + 1 });
    try {
      const result = await runJob(job, parseData(job, queued.data), {
        pool,
        log: child,
        signal: signal === undefined ? stopping : AbortSignal.any([stopping, signal]),
        report: (progress) => queued.updateProgress(progress),
        jobId: queued.id ?? null,
        attempt: queued.attemptsMade + 1,
        patient: true,
      });
      child.info(result, 'done');
      return result;
    } catch (error) {
      if (error instanceof JobBusy) throw await postpone(BUSY_MS);
      if (error instanceof JobStopped) {
        await queued.moveToWait(token);
        throw new WaitingError();
      }
      child.error({ err: error }, 'failed');
      throw error;
    }
  };
}

/** Data that is wrong stays wrong however often it is tried. */
function parseData(job: Job, data: unknown): unknown {
  try {
    return job.parse(data);
  } catch (error) {
    throw new UnrecoverableError(error instanceof Error ? error.message : String(error));
  }
}
