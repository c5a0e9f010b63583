import { setTimeout as pause } from 'node:timers/promises';
import {
  type BackendClasses,
  type BackendFactory,
  createPostgresBackend,
  createRedisBackend,
  DEFAULT_SCHEMA,
  type IQueueBackend,
  type PgPool,
  type Processor,
  type Queue,
  runMigrations,
  type WorkerOptions,
  withBackend,
} from 'bullmq';
import { Redis } from 'ioredis';
import { connect } from '../../../db/connect.ts';
import type { JobResult } from '../define-job.ts';

/** All jobs are in one queue; its name is also the one under which its workers are found. */
const QUEUE = 'linernotes-jobs';
/** How long a worker waits when it could not ask for a job. */
const ASK_AGAIN_MS = 1_000;
/** One connection listens for news, the others serve the jobs under way. */
const POSTGRES_CONNECTIONS = 4;
const CONNECT_MS = 5_000;
/** How often a job may outlive its worker before it is held to be what kills them. */
const MOST_TAKEOVERS = 10;

export interface QueueSettings {
  readonly databaseUrl: string;
  /** Where the queue is kept; without it, in the database. */
  readonly redisUrl?: string | undefined;
  /** Keeps several installations on one Redis apart. */
  readonly redisPrefix?: string | undefined;
}

/** What a job was told, as it is queued. */
export type JobData = Readonly<Record<string, unknown>>;

export type JobQueue = Pick<
  Queue<JobData, JobResult>,
  | 'add'
  | 'getFailed'
  | 'getJob'
  | 'getJobSchedulers'
  | 'getWorkersCount'
  | 'removeJobScheduler'
  | 'upsertJobScheduler'
>;

export type ProcessJob = Processor<JobData, JobResult>;

export interface QueueWorker {
  /** Takes no more jobs, and resolves when those in hand have ended. */
  close(): Promise<void>;
}

interface WorkOptions {
  /** Jobs at once. */
  readonly concurrency: number;
  /** A worker that was not heard of for so many milliseconds has its job taken over. */
  readonly lockMs: number;
}

/** A queue in PostgreSQL or in Redis; nothing outside this file knows which. */
export interface OpenQueue {
  readonly queue: JobQueue;
  /** Begins to take jobs. */
  work(process: ProcessJob, options: WorkOptions): Promise<QueueWorker>;
  close(): Promise<void>;
}

export interface OpenOptions {
  /** Told of each error of a connection; connections mend themselves. */
  readonly onError: (error: Error) => void;
  /** Until when to wait for a Redis that cannot be reached; null does not wait. */
  readonly patience: AbortSignal | null;
}

/** Opens the queue and creates what it needs. @throws where the server that keeps it cannot be reached */
export function openQueue(settings: QueueSettings, options: OpenOptions): Promise<OpenQueue> {
  return settings.redisUrl
    ? openRedis(settings.redisUrl, settings.redisPrefix, options)
    : openPostgres(settings.databaseUrl, options);
}

async function openPostgres(databaseUrl: string, { onError }: OpenOptions): Promise<OpenQueue> {
  // pg's own types overload what the queue asks of a pool, and so do not seem to fit.
  const connection = connect(withSearchPath(databaseUrl, DEFAULT_SCHEMA), 'jobs queue', {
    max: POSTGRES_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
  }) as PgPool;
  try {
    const client = await connection.connect();
    await runMigrations(client, DEFAULT_SCHEMA).finally(() => client.release());
  } catch (error) {
    await connection.end();
    throw error;
  }
  const { Queue, Worker } = withBackend(unhurried(createPostgresBackend));
  const queue = new Queue<JobData, JobResult>(QUEUE, { connection });
  queue.on('error', onError);
  return {
    queue,
    work: (process, options) => startWorker(Worker, process, { connection, ...settingsOf(options) }, onError),
    async close() {
      await queue.close();
      await connection.end();
    },
  };
}

/** The queue's statements name its tables without a schema. */
function withSearchPath(databaseUrl: string, schema: string): string {
  const url = new URL(databaseUrl);
  const options = [url.searchParams.get('options'), `-c search_path=${schema}`].filter(Boolean);
  url.searchParams.set('options', options.join(' '));
  return url.href;
}

async function openRedis(
  redisUrl: string,
  prefix: string | undefined,
  { onError, patience }: OpenOptions,
): Promise<OpenQueue> {
  let isPatient = patience !== null;
  const connection = new Redis(redisUrl, {
    // Commands wait for the connection to come back instead of failing; a worker cannot do without that.
    maxRetriesPerRequest: null,
    connectTimeout: CONNECT_MS,
    retryStrategy: (times) => (isPatient ? Math.min(50 * 2 ** times, 2_000) : null),
  });
  connection.on('error', onError);
  // A Redis that was there once will come back.
  connection.once('ready', () => {
    isPatient = true;
  });
  const giveUp = () => connection.disconnect();
  patience?.addEventListener('abort', giveUp, { once: true });
  const named = { connection, ...(prefix ? { prefix } : {}) };
  const { Queue, Worker } = withBackend(unhurried(createRedisBackend));
  const queue = new Queue<JobData, JobResult>(QUEUE, named);
  queue.on('error', onError);
  const close = async () => {
    patience?.removeEventListener('abort', giveUp);
    await queue.close();
    connection.disconnect();
  };
  try {
    await queue.waitUntilReady();
  } catch (error) {
    await close();
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`the Redis that keeps the queue cannot be reached: ${message}`, { cause: error });
  }
  patience?.removeEventListener('abort', giveUp);
  return {
    queue,
    work: (process, options) => startWorker(Worker, process, { ...named, ...settingsOf(options) }, onError),
    close,
  };
}

const settingsOf = ({ concurrency, lockMs }: WorkOptions) => ({
  concurrency,
  lockDuration: lockMs,
  stalledInterval: lockMs,
  maxStalledCount: MOST_TAKEOVERS,
});

async function startWorker<B extends IQueueBackend, C>(
  Worker: BackendClasses<B, C>['Worker'],
  process: ProcessJob,
  options: WorkerOptions<C>,
  onError: (error: Error) => void,
): Promise<QueueWorker> {
  const worker = new Worker<JobData, JobResult>(QUEUE, process, options);
  worker.on('error', onError);
  worker.on('lockRenewalFailed', (ids) => {
    for (const id of ids) worker.cancelJob(id, 'another worker has taken this job over');
  });
  try {
    await worker.waitUntilReady();
  } catch (error) {
    await worker.close(true);
    throw error;
  }
  return worker;
}

/** A worker asks again at once after most errors; a server that restarts would be asked thousands of times a second. */
function unhurried<B extends IQueueBackend, C>(create: BackendFactory<B, C>): BackendFactory<B, C> {
  return (...settings) => {
    const backend = create(...settings);
    const ask = backend.moveToActive.bind(backend);
    backend.moveToActive = async (...request) => {
      try {
        return await ask(...request);
      } catch (error) {
        await pause(ASK_AGAIN_MS);
        throw error;
      }
    };
    return backend;
  };
}
