import { DelayedError, UnrecoverableError, WaitingError } from 'bullmq';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Job } from '../define-job.ts';
import type { ProcessJob } from './queue.ts';
import { JobBusy, JobStopped, runJob } from './run-job.ts';

/** Pause before the retry of a job whose name another run is using. */
const BUSY_RETRY_MS = 3_000;
/** A job that only newer code knows is offered to other workers this often, for this long. */
const UNKNOWN_JOB = { retryMs: 10_000, maxMs: 86_400_000 };

export interface ProcessOptions {
  readonly jobs: readonly Job[];
  readonly pool: Pool;
  readonly log: Logger;
  /** Aborted when the worker shuts down; its running jobs then go back into the queue. */
  readonly stopping: AbortSignal;
}

/** Processes one job from the queue. */
export function processJobs({ jobs, pool, log, stopping }: ProcessOptions): ProcessJob {
  const byName = new Map(jobs.map((job) => [job.name, job]));
  // The worker passes a signal only to functions that declare three parameters.
  return async (queued, token, signal) => {
    const postpone = async (ms: number) => {
      await queued.moveToDelayed(Date.now() + ms, token);
      return new DelayedError();
    };
    const job = byName.get(queued.name);
    if (job === undefined) {
      if (Date.now() - queued.timestamp < UNKNOWN_JOB.maxMs) throw await postpone(UNKNOWN_JOB.retryMs);
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
        waitForDatabase: true,
      });
      child.info(result, 'done');
      return result;
    } catch (error) {
      if (error instanceof JobBusy) throw await postpone(BUSY_RETRY_MS);
      if (error instanceof JobStopped) {
        await queued.moveToWait(token);
        throw new WaitingError();
      }
      child.error({ err: error }, 'failed');
      throw error;
    }
  };
}

/** @throws an error that is not retried: invalid data stays invalid */
function parseData(job: Job, data: unknown): unknown {
  try {
    return job.parse(data);
  } catch (error) {
    throw new UnrecoverableError(error instanceof Error ? error.message : String(error));
  }
}
