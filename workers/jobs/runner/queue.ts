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

/** One queue for all jobs. */
const QUEUE = 'linernotes-jobs';
/** Pause of a worker after it failed to fetch a job. */
const FETCH_RETRY_MS = 1_000;
/** One connection listens for notifications, the others serve running jobs. */
const POSTGRES_CONNECTIONS = 4;
const CONNECT_MS = 5_000;
/** A job whose workers died this often fails, because it probably kills them. */
const MAX_TAKEOVERS = 10;

export interface QueueSettings {
  readonly databaseUrl: string;
  /** Default: the queue is in the database. */
  readonly redisUrl?: string | undefined;
  /** Separates several installations on one Redis. */
  readonly redisPrefix?: string | undefined;
}

/** The input of a queued job. */
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
  /** Fetches no more jobs, and resolves when running ones have ended. */
  close(): Promise<void>;
}

interface WorkOptions {
  readonly concurrency: number;
  /** Another worker takes over a job after this time without a sign of life from its worker. */
  readonly lockMs: number;
}

/** A queue in PostgreSQL or in Redis; only this file knows which. */
export interface OpenQueue {
  readonly queue: JobQueue;
  /** Starts to process jobs. */
  work(process: ProcessJob, options: WorkOptions): Promise<QueueWorker>;
  close(): Promise<void>;
}

export interface OpenOptions {
  /** Called for each connection error; connections recover on their own. */
  readonly onError: (error: Error) => void;
  /** Waits for an unavailable Redis until this aborts; null does not wait. */
  readonly waitUntil: AbortSignal | null;
}

/** Opens the queue and creates what it needs. @throws if its server is unavailable */
export function openQueue(settings: QueueSettings, options: OpenOptions): Promise<OpenQueue> {
  return settings.redisUrl
    ? openRedis(settings.redisUrl, settings.redisPrefix, options)
    : openPostgres(settings.databaseUrl, options);
}

async function openPostgres(databaseUrl: string, { onError }: OpenOptions): Promise<OpenQueue> {
  // The overloads in pg's types hide that its pool fits.
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
  const { Queue, Worker } = withBackend(withFetchPause(createPostgresBackend));
  const queue = new Queue<JobData, JobResult>(QUEUE, { connection });
  queue.on('error', onError);
  return {
    queue,
    work: (process, options) => startWorker(Worker, { process, onError, connection, ...options }),
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
  { onError, waitUntil }: OpenOptions,
): Promise<OpenQueue> {
  let waits = waitUntil !== null;
  const connection = new Redis(redisUrl, {
    // Required by workers: commands wait for the connection instead of failing.
    maxRetriesPerRequest: null,
    connectTimeout: CONNECT_MS,
    retryStrategy: (times) => (waits ? Math.min(50 * 2 ** times, 2_000) : null),
  });
  connection.on('error', onError);
  // A Redis that was available once will be again.
  connection.once('ready', () => {
    waits = true;
  });
  const disconnect = () => connection.disconnect();
  waitUntil?.addEventListener('abort', disconnect, { once: true });
  const named = { connection, ...(prefix ? { prefix } : {}) };
  const { Queue, Worker } = withBackend(withFetchPause(createRedisBackend));
  const queue = new Queue<JobData, JobResult>(QUEUE, named);
  queue.on('error', onError);
  const close = async () => {
    waitUntil?.removeEventListener('abort', disconnect);
    await queue.close();
    connection.disconnect();
  };
  try {
    await queue.waitUntilReady();
  } catch (error) {
    await close();
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`cannot reach the Redis of the queue: ${message}`, { cause: error });
  }
  waitUntil?.removeEventListener('abort', disconnect);
  return {
    queue,
    work: (process, options) => startWorker(Worker, { process, onError, ...named, ...options }),
    close,
  };
}

interface StartOptions<C> extends WorkOptions {
  readonly process: ProcessJob;
  readonly onError: (error: Error) => void;
  readonly connection: NonNullable<WorkerOptions<C>['connection']>;
  readonly prefix?: string;
}

async function startWorker<B extends IQueueBackend, C>(
  Worker: BackendClasses<B, C>['Worker'],
  { process, onError, lockMs, ...options }: StartOptions<C>,
): Promise<QueueWorker> {
  const worker = new Worker<JobData, JobResult>(QUEUE, process, {
    ...options,
    lockDuration: lockMs,
    stalledInterval: lockMs,
    maxStalledCount: MAX_TAKEOVERS,
  });
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

/** Makes workers pause after a failed fetch. BullMQ retries most errors immediately, thousands of times a second. */
function withFetchPause<B extends IQueueBackend, C>(create: BackendFactory<B, C>): BackendFactory<B, C> {
  return (...settings) => {
    const backend = create(...settings);
    const fetch = backend.moveToActive.bind(backend);
    backend.moveToActive = async (...request) => {
      try {
        return await fetch(...request);
      } catch (error) {
        await pause(FETCH_RETRY_MS);
        throw error;
      }
    };
    return backend;
  };
}
