import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Type } from '@sinclair/typebox';
import type { Pool } from 'pg';
import { pino } from 'pino';
import { afterEach, beforeEach, inject } from 'vitest';
import { defineJob, type Job } from '../../../workers/jobs/define-job.ts';
import {
  type JobQueue,
  type OpenQueue,
  openQueue,
  type QueueSettings,
} from '../../../workers/jobs/runner/queue.ts';
import { type JobsOptions, type RunningJobs, startJobs } from '../../../workers/jobs/runner/start-jobs.ts';
import { pollUntil } from '../poll.ts';
import { withDatabase } from '../services/database.ts';
import { uniquePrefix } from '../services/kafka.ts';

const WORKER = fileURLToPath(new URL('../../../workers/jobs/main.ts', import.meta.url));

/** What keeps the queue. */
export const KEEPERS = ['redis', 'postgres'] as const;

interface Run {
  readonly job_id: string | null;
  readonly attempt: number;
  readonly outcome: string | null;
  readonly error: string | null;
  readonly started_at: Date;
  readonly finished_at: Date | null;
}

export interface JobQueueForTests {
  readonly url: string;
  readonly pool: Pool;
  settings(): QueueSettings;
  queue(): JobQueue;
  /** Starts a worker in this process, which is stopped after the test. */
  startWorker(jobs: readonly Job[], options?: Partial<JobsOptions>): RunningJobs;
  stopWorkers(): Promise<void>;
  /** Starts a worker as a process of its own, which is killed after the test. */
  startProcess(): ChildProcess;
  /** The runs of a name in the order in which they began. */
  runsOf(name: string): Promise<Run[]>;
  /** Resolves when the job is in the state. */
  untilState(id: string, state: string): Promise<void>;
}

/** A job whose runs wait until the test lets them end. */
export function gatedJob(name: string) {
  const waiting: PromiseWithResolvers<void>[] = [];
  const job = defineJob({
    name,
    schedule: null,
    attempts: 1,
    backoff: 10,
    timeout: 60_000,
    data: Type.Object({}),
    async run({ signal }) {
      const gate = Promise.withResolvers<void>();
      waiting.push(gate);
      signal.addEventListener('abort', () => gate.reject(signal.reason), { once: true });
      await gate.promise;
      return { ended: true };
    },
  });
  return { job, waiting };
}

/** Opens a queue whose connection errors fail the test. */
export const openTestQueue = (settings: QueueSettings): Promise<OpenQueue> =>
  openQueue(settings, {
    onError: (error) => {
      throw error;
    },
    waitUntil: null,
  });

/** Gives the tests of the `describe` it is called in a database and a queue of their own. */
export function withJobQueue(keeper: (typeof KEEPERS)[number]): JobQueueForTests {
  const { url, pool } = withDatabase();
  const prefix = uniquePrefix();
  const running: RunningJobs[] = [];
  const children = new Set<ChildProcess>();
  let open: OpenQueue;

  const settings = (): QueueSettings => ({
    databaseUrl: url,
    ...(keeper === 'redis' ? { redisUrl: inject('redisUrl'), redisPrefix: prefix } : {}),
  });
  const stopWorkers = async () => {
    await Promise.all(running.splice(0).map((started) => started.stop()));
  };

  beforeEach(async () => {
    open = await openTestQueue(settings());
  });
  afterEach(async () => {
    for (const child of children) child.kill('SIGKILL');
    children.clear();
    await stopWorkers();
    await open.close();
  });

  return {
    url,
    pool,
    settings,
    stopWorkers,
    queue: () => open.queue,
    startWorker(jobs, options = {}) {
      const started = startJobs({ ...settings(), pool, log: pino({ level: 'silent' }), jobs, ...options });
      running.push(started);
      return started;
    },
    startProcess() {
      const child = spawn(process.execPath, [WORKER], {
        env: { ...process.env, ...environmentOf(settings()), JOB_LOCK_MS: '3000', LOG_LEVEL: 'fatal' },
        stdio: ['ignore', 'inherit', 'inherit'],
      });
      children.add(child);
      return child;
    },
    async runsOf(name) {
      const { rows } = await pool.query<Run>(
        `select job_id, attempt, outcome, error, started_at, finished_at from operation.job_run
         where name = $1 order by id`,
        [name],
      );
      return rows;
    },
    async untilState(id, state) {
      const hasState = async () => (await (await open.queue.getJob(id))?.getState()) === state;
      await pollUntil(hasState, { what: `job ${id} is ${state}` });
    },
  };
}

/** Settings as a process reads them. */
export const environmentOf = ({ databaseUrl, redisUrl = '', redisPrefix = '' }: QueueSettings) => ({
  DATABASE_URL: databaseUrl,
  REDIS_URL: redisUrl,
  REDIS_PREFIX: redisPrefix,
});
