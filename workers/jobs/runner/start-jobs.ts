import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { connect } from '../../../db/connect.ts';
import type { Finding } from '../../../infra/runtime/cause.ts';
import { retry } from '../../../infra/runtime/retry.ts';
import { throttle } from '../../../infra/runtime/throttle.ts';
import { BUILD_CONNECTIONS } from '../../project/build-version.ts';
import type { Job } from '../define-job.ts';
import { jobs as declared } from '../index.ts';
import { processJobs } from './process-job.ts';
import { type OpenQueue, openQueue, type QueueSettings, type QueueWorker } from './queue.ts';
import { JobStopped } from './run-job.ts';
import { declareSchedules } from './schedules.ts';
import { wakeJobs } from './wake-jobs.ts';

/** Each run uses one for its lock and one for its work; a build uses more. One more follows changes for a search cluster. */
const CONNECTIONS = BUILD_CONNECTIONS + 2 * declared.length + 1;
const CONNECT_TIMEOUT_MS = 5_000;
const LOCK_MS = 30_000;
const START_BACKOFF = { firstMs: 100, maxMs: 10_000 };
/** Minimum time between two logs of the same error. */
const REPEAT_MS = 30_000;

/** A pool for concurrent runs of all jobs. */
export const connectJobs = (databaseUrl: string): Pool =>
  connect(databaseUrl, 'jobs', { max: CONNECTIONS, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });

export interface JobsOptions extends QueueSettings {
  readonly pool: Pool;
  readonly log: Logger;
  readonly jobs?: readonly Job[];
  /** Another worker takes over a job after this time without a sign of life from its worker. Default: 30,000. */
  readonly lockMs?: number | undefined;
}

export interface RunningJobs {
  /** Resolves when it processes jobs; it waits for unavailable servers. */
  readonly ready: Promise<void>;
  /** Why it does not process jobs yet; empty once it does. */
  findings(): readonly Finding[];
  /** Ends running jobs and puts them back into the queue. */
  stop(): Promise<void>;
}

/** Processes background jobs until stopped, on their schedules and on demand. Several workers may run. */
export function startJobs(options: JobsOptions): RunningJobs {
  const { log } = options;
  const stopping = new AbortController();
  let waitReason: string | null = 'the queue is being opened';
  const starting = retry(() => start(options, stopping.signal), {
    backoff: START_BACKOFF,
    signal: stopping.signal,
    onFailure({ error, retryMs }) {
      waitReason = error instanceof Error ? error.message : String(error);
      log.warn({ err: error, retryMs }, 'jobs cannot start yet');
    },
  });
  const ready = starting.then(() => {
    waitReason = null;
  });
  // Fails only when stopped, and then nothing may be waiting for it.
  ready.catch(() => {});
  async function stop(): Promise<void> {
    stopping.abort(new JobStopped('its worker shut down'));
    const started = await starting.catch(() => null);
    if (started === null) return;
    await started.worker.close();
    await started.waking;
    await started.open.close();
  }
  let stopped: Promise<void> | null = null;
  return {
    ready,
    findings: () => (waitReason === null ? [] : [{ what: 'queue', detail: waitReason }]),
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
  const open = await openQueue(settings, { onError: errorLog(log), waitUntil: stopping });
  try {
    await declareSchedules(open.queue, jobs, pool);
    // So that no job waits for one of another name.
    const concurrency = Math.max(1, jobs.length);
    const worker = await open.work(processJobs({ jobs, pool, log, stopping }), { concurrency, lockMs });
    log.info({ jobs: jobs.map(({ name }) => name) }, 'processing jobs');
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

/** Logs an error now and then: each attempt to reach an unavailable server fails alike. */
function errorLog(log: Logger): (error: Error) => void {
  let message: string | null = null;
  let throttled = throttle(REPEAT_MS);
  return (error) => {
    if (error.message !== message) throttled = throttle(REPEAT_MS);
    message = error.message;
    throttled(() => log.warn({ err: error }, 'queue error; continuing'));
  };
}
