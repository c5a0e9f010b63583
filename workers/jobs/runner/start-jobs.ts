import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { connect } from '../../../db/connect.ts';
import type { Finding } from '../../../projections/observe/cause.ts';
import { BUILD_CONNECTIONS } from '../../project/build-version.ts';
import type { Job } from '../define-job.ts';
import { jobs as declared } from '../index.ts';
import { persist } from './persist.ts';
import { processJobs } from './process-job.ts';
import { type OpenQueue, openQueue, type QueueSettings, type QueueWorker } from './queue.ts';
import { JobStopped } from './run-job.ts';
import { declareSchedules } from './schedules.ts';
import { wakeJobs } from './wake-jobs.ts';

/** Each run holds its lock on one and works on another; a build takes more. */
const CONNECTIONS = BUILD_CONNECTIONS + 2 * declared.length;
const CONNECT_TIMEOUT_MS = 5_000;
const LOCK_MS = 30_000;
/** The same error is told again only after so long. */
const REPEAT_MS = 30_000;

/** A pool for runs of all jobs at once. */
export const connectJobs = (databaseUrl: string): Pool =>
  connect(databaseUrl, 'jobs', { max: CONNECTIONS, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });

export interface JobsOptions extends QueueSettings {
  readonly pool: Pool;
  readonly log: Logger;
  readonly jobs?: readonly Job[];
  /** A worker that was not heard of for so many milliseconds has its job taken over; 30,000 unless told. */
  readonly lockMs?: number | undefined;
}

export interface RunningJobs {
  /** Resolves when it takes jobs; it waits for servers that cannot be reached. */
  readonly ready: Promise<void>;
  /** Why it does not take jobs yet; empty once it does. */
  findings(): readonly Finding[];
  /** Lets the jobs in hand end or puts them back into the queue. */
  stop(): Promise<void>;
}

/** Does background jobs until stopped, on their schedules and on demand. Several may run, here and elsewhere. */
export function startJobs(options: JobsOptions): RunningJobs {
  const { log } = options;
  const stopping = new AbortController();
  let waitsFor: string | null = 'the queue is being opened';
  const starting = persist(
    () => start(options, stopping.signal),
    stopping.signal,
    (error, retryMs) => {
      waitsFor = error instanceof Error ? error.message : String(error);
      log.warn({ err: error, retryMs }, 'jobs cannot start yet');
    },
  );
  const ready = starting.then(() => {
    waitsFor = null;
  });
  // Only stopping ends the start early, and then nobody may be waiting for it.
  ready.catch(() => {});
  async function stop(): Promise<void> {
    stopping.abort(new JobStopped('its worker was told to end'));
    const started = await starting.catch(() => null);
    if (started === null) return;
    await started.worker.close();
    await started.waking;
    await started.open.close();
  }
  let stopped: Promise<void> | null = null;
  return {
    ready,
    findings: () => (waitsFor === null ? [] : [{ what: 'queue', detail: waitsFor }]),
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}

async function start(
  { jobs = declared, pool, log, lockMs = LOCK_MS, ...settings }: JobsOptions,
  stopping: AbortSignal,
): Promise<{ open: OpenQueue; worker: QueueWorker; waking: Promise<void> }> {
  const open = await openQueue(settings, { onError: tellOnce(log), patience: stopping });
  try {
    await declareSchedules(pool, open.queue, jobs);
    // No job waits for one of another name.
    const concurrency = Math.max(1, jobs.length);
    const worker = await open.work(processJobs({ jobs, pool, log, stopping }), { concurrency, lockMs });
    log.info({ jobs: jobs.map(({ name }) => name) }, 'doing jobs');
    const { databaseUrl } = settings;
    return {
      open,
      worker,
      waking: wakeJobs({ databaseUrl, queue: open.queue, jobs, log, signal: stopping }),
    };
  } catch (error) {
    await open.close();
    throw error;
  }
}

/** A server that is away makes the same error with every attempt to reach it. */
function tellOnce(log: Logger): (error: Error) => void {
  let told = { message: '', at: 0 };
  return (error) => {
    if (error.message === told.message && Date.now() - told.at < REPEAT_MS) return;
    told = { message: error.message, at: Date.now() };
    log.warn({ err: error }, 'the queue had an error and goes on');
  };
}
