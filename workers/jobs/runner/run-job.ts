import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Job, JobProgress, JobResult } from '../define-job.ts';
import { beginRun, endRun, type RunEnd } from './history.ts';
import { holdLock, type JobLock } from './hold-lock.ts';
import { persist } from './persist.ts';
import { type ProgressMeter, progressMeter } from './progress-meter.ts';

/** How long a run that was told to end may take to do so. */
const GRACE_MS = 10_000;

/** Another run of the same name is under way. */
export class JobBusy extends Error {
  override readonly name = 'JobBusy';
}

/** The reason of a signal by which a worker that ends takes back its runs. */
export class JobStopped extends Error {
  override readonly name = 'JobStopped';
}

export interface RunOptions {
  readonly pool: Pool;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly report: (progress: JobProgress) => unknown;
  /** Of the queue; null where it is run by hand. */
  readonly jobId: string | null;
  /** Counted from 1. */
  readonly attempt: number;
  /** Whether to wait for a database that cannot be reached before the run begins. */
  readonly patient: boolean;
}

/**
 * Runs a job once, alone of its name, and writes its history.
 *
 * @throws JobBusy where it runs already; JobStopped where the signal said so; else what went wrong
 */
export async function runJob(job: Job, given: unknown, options: RunOptions): Promise<JobResult> {
  const { pool, log, signal, patient } = options;
  const data = job.parse(given);
  const take = () => holdLock(pool, job.name);
  const lock = patient
    ? await persist(take, signal, (error, retryMs) =>
        log.warn({ err: error, retryMs }, 'the database cannot be reached; the job waits for it'),
      )
    : await take();
  if (lock === null) throw new JobBusy(`${job.name} is running already`);
  const over = new AbortController();
  const ended = AbortSignal.any([signal, lock.lost, over.signal]);
  const meter = progressMeter(options.report);
  const result = await unlessOverdue(runHolding(lock, job, data, { ended, over, meter }, options), ended);
  await meter.settled();
  return result;
}

interface Held {
  readonly ended: AbortSignal;
  readonly over: AbortController;
  readonly meter: ProgressMeter;
}

/** The lock is let go when the work has really ended, which may be long after it was told to. */
async function runHolding(
  lock: JobLock,
  job: Job,
  data: unknown,
  { ended, over, meter }: Held,
  { pool, log, jobId, attempt }: RunOptions,
): Promise<JobResult> {
  try {
    ended.throwIfAborted();
    const { id, resumed } = await beginRun(pool, { name: job.name, data, jobId, attempt });
    const record = (end: RunEnd) =>
      endRun(pool, id, end).catch((error) => log.warn({ err: error }, 'the end of a run was not recorded'));
    const timer = setTimeout(
      () => over.abort(new Error(`${job.name} did not end within ${job.timeout / 1000} seconds`)),
      job.timeout,
    );
    try {
      ended.throwIfAborted();
      const result = await job.run({ pool, log, signal: ended, resumed, progress: meter.note }, data);
      await record({ outcome: 'done', result });
      return result;
    } catch (error) {
      const reason = asError(ended.aborted ? ended.reason : error);
      await record({
        outcome: reason instanceof JobStopped ? 'stopped' : 'failed',
        error: reason.message,
      });
      throw reason;
    } finally {
      clearTimeout(timer);
    }
  } finally {
    await lock.release();
  }
}

const asError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)));

/** What the work comes to, unless it goes on for too long after it was told to end. */
async function unlessOverdue<T>(work: Promise<T>, ended: AbortSignal): Promise<T> {
  const overdue = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const onEnd = () => {
    timer = setTimeout(() => overdue.reject(asError(ended.reason)), GRACE_MS);
  };
  ended.addEventListener('abort', onEnd, { once: true });
  if (ended.aborted) onEnd();
  try {
    return await Promise.race([work, overdue.promise]);
  } finally {
    clearTimeout(timer);
    ended.removeEventListener('abort', onEnd);
  }
}
