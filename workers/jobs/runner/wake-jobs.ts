import { randomBytes } from 'node:crypto';
import { Client, escapeIdentifier } from 'pg';
import type { Logger } from 'pino';
import { pause } from '../../until-it-works.ts';
import type { Job } from '../define-job.ts';
import { queueOptions } from './enqueue.ts';
import type { JobQueue } from './queue.ts';

const LISTEN_AGAIN_MS = 1_000;
const CONNECT_MS = 5_000;

interface WakeOptions {
  readonly databaseUrl: string;
  readonly queue: JobQueue;
  readonly jobs: readonly Job[];
  readonly log: Logger;
  /** Ends the listening. */
  readonly signal: AbortSignal;
}

/**
 * Has jobs run when what they wake on is announced in the database, and once as it begins to listen. Resolves when the
 * signal has ended it.
 */
export async function wakeJobs({ databaseUrl, queue, jobs, log, signal }: WakeOptions): Promise<void> {
  const byChannel = new Map(
    jobs.flatMap((job) => (job.wakesOn === undefined ? [] : [[job.wakesOn, waker(queue, job, log)]])),
  );
  if (byChannel.size === 0) return;
  while (!signal.aborted) {
    const client = new Client({
      connectionString: databaseUrl,
      application_name: 'linernotes jobs news',
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_MS,
    });
    const broken = new AbortController();
    // One that breaks may say so more than once.
    client.on('error', () => broken.abort());
    client.on('end', () => broken.abort());
    client.on('notification', ({ channel }) => byChannel.get(channel)?.());
    try {
      await client.connect();
      for (const channel of byChannel.keys()) await client.query(`listen ${escapeIdentifier(channel)}`);
      // Something may have been announced while nobody listened.
      for (const wake of byChannel.values()) wake();
      await aborted(AbortSignal.any([signal, broken.signal]));
    } catch (error) {
      log.warn({ err: error }, 'cannot listen for news; jobs run by their schedules meanwhile');
    } finally {
      await client.end().catch(() => {});
    }
    if (!signal.aborted) await pause(LISTEN_AGAIN_MS, signal);
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });

/**
 * Puts a job into the queue unless it waits there already. Where it is under way, it runs once more when it has ended, for
 * it may have looked before the news came. Only one request is under way, however much news there is.
 */
function waker(queue: JobQueue, job: Job, log: Logger): () => void {
  let isAsking = false;
  let isAsked = false;
  const askAll = async () => {
    while (isAsked) {
      isAsked = false;
      await queue.add(job.name, job.parse({}), {
        ...queueOptions(job),
        jobId: `${job.name}-${randomBytes(4).toString('hex')}`,
        deduplication: { id: `${job.name} news`, keepLastIfActive: true },
      });
    }
  };
  return () => {
    isAsked = true;
    if (isAsking) return;
    isAsking = true;
    askAll()
      .catch((error) => log.warn({ err: error, job: job.name }, 'news did not reach the queue'))
      .finally(() => {
        isAsking = false;
      });
  };
}
