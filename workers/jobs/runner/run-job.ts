import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { LOCKS } from '../../../db/locks.ts';
import { retry } from '../../../infra/runtime/retry.ts';
import type { Job, JobProgress, JobResult } from '../define-job.ts';
import { beginRun, endRun, type RunEnd } from './history.ts';
import { type ProgressMeter, progressMeter } from './progress-meter.ts';

/** How long a run may go on after its signal aborted. */
const GRACE_MS = 10_000;
const LOCK_BACKOFF = { firstMs: 100, maxMs: 10_000 };

/** Another run of the same name is in progress. */
export class JobBusy extends Error {
  override readonly name = 'JobBusy';
}

/** The reason with which a worker that shuts down aborts its runs. */
export class JobStopped extends Error {
  override readonly name = 'JobStopped';
}

export interface RunOptions {
  readonly pool: Pool;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly report: (progress: JobProgress) => unknown;
  /** Id in the queue; null if it runs without the queue. */
  readonly jobId: string | null;
  /** Counted from 1. */
  readonly attempt: number;
  /** Whether to wait for an unavailable database before the run begins. */
  readonly waitForDatabase: boolean;
}

/**
 * Runs a job once, never concurrently with another run of its name, and records it in the history.
 *
 * @throws JobBusy if another run is in progress; JobStopped if the signal gave that reason; else the error of the run
 */
export async function runJob(job: Job, input: unknown, options: RunOptions): Promise<JobResult> {
  const { pool, log, signal, waitForDatabase } = options;
  const data = job.parse(input);
  const lock = await retry(() => acquireLock(pool, job.name), {
    backoff: LOCK_BACKOFF,
    signal,
    isRetryable: () => waitForDatabase,
    onFailure: ({ error, retryMs }) =>
      log.warn({ err: error, retryMs }, 'cannot reach the database; the job waits for it'),
  });
  if (lock === null) throw new JobBusy(`${job.name} is running already`);
  const timeout = new AbortController();
  const ended = AbortSignal.any([signal, lock.lost, timeout.signal]);
  const meter = progressMeter(options.report);
  const work = runLocked({ ...options, job, data, ended, timeout, meter }).finally(() => lock.release());
  const result = await withGrace(work, ended);
  await meter.settled();
  return result;
}

interface LockedRun extends RunOptions {
  readonly job: Job;
  readonly data: unknown;
  readonly ended: AbortSignal;
  readonly timeout: AbortController;
  readonly meter: ProgressMeter;
}

/** Settles when the work has really ended, which may be long after its signal aborted. */
async function runLocked({ job, data, ended, timeout, meter, ...options }: LockedRun): Promise<JobResult> {
  const { pool, log, jobId, attempt } = options;
  ended.throwIfAborted();
  const { id, resumed } = await beginRun(pool, { name: job.name, data, jobId, attempt });
  const record = (end: RunEnd) =>
    endRun(pool, id, end).catch((error) => log.warn({ err: error }, 'the end of a run was not recorded'));
  const timer = setTimeout(
    () => timeout.abort(new Error(`${job.name} did not end within ${job.timeout / 1000} seconds`)),
    job.timeout,
  );
  try {
    ended.throwIfAborted();
    const result = await job.run({ pool, log, signal: ended, resumed, progress: meter.note }, data);
    await record({ outcome: 'done', result });
    return result;
  } catch (error) {
    const reason = asError(ended.aborted ? ended.reason : error);
    await record({ outcome: reason instanceof JobStopped ? 'stopped' : 'failed', error: reason.message });
    throw reason;
  } finally {
    clearTimeout(timer);
  }
}

const asError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)));

/** The result of `work`. @throws the signal's reason if the work goes on for too long after the abort */
async function withGrace<T>(work: Promise<T>, ended: AbortSignal): Promise<T> {
  const overdue = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const onAbort = () => {
    timer = setTimeout(() => overdue.reject(asError(ended.reason)), GRACE_MS);
  };
  ended.addEventListener('abort', onAbort, { once: true });
  if (ended.aborted) onAbort();
  try {
    return await Promise.race([work, overdue.promise]);
  } finally {
    clearTimeout(timer);
    ended.removeEventListener('abort', onAbort);
  }
}

interface JobLock {
  /** Aborted when the session that holds the lock ends, because another run may begin then. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

// With the default keepalive of hours, a worker whose machine vanished would hold its lock as long.
const ACQUIRE = `
  select set_config('tcp_keepalives_idle', '20', false), set_config('tcp_keepalives_interval', '5', false),
    set_config('tcp_keepalives_count', '4', false), pg_try_advisory_lock($1, hashtext($2)) as acquired`;

/** Acquires the session lock of a job; null if another run holds it. */
async function acquireLock(pool: Pool, name: string): Promise<JobLock | null> {
  const client = await pool.connect();
  const lost = new AbortController();
  const onEnd = () => lost.abort(new Error(`${name} lost its lock: the connection that held it broke`));
  client.on('error', onEnd);
  client.on('end', onEnd);
  // Closes the connection instead of reusing it: its settings differ, and it may hold the lock.
  const close = () => {
    client.removeListener('end', onEnd);
    client.release(true);
  };
  let acquired = false;
  try {
    const { rows } = await client.query<{ acquired: boolean }>(ACQUIRE, [LOCKS.job, name]);
    acquired = rows[0]?.acquired === true;
  } finally {
    if (!acquired) close();
  }
  if (!acquired) return null;
  return {
    lost: lost.signal,
    async release() {
      // A closed connection releases the lock only once the server notices.
      await client.query('select pg_advisory_unlock_all()').catch(() => {});
      close();
    },
  };
}
