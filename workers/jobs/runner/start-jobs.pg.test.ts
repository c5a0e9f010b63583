import { setTimeout as pause } from 'node:timers/promises';
import { Type } from '@sinclair/typebox';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { withDatabase } from '../../../test/services/database.ts';
import { defineJob } from '../define-job.ts';
import { enqueueJob } from './enqueue.ts';
import { type OpenQueue, openQueue } from './queue.ts';
import { type RunningJobs, startJobs } from './start-jobs.ts';

const { url, pool } = withDatabase();
const log = pino({ level: 'silent' });
/** Poll of a condition; nothing depends on its length. */
const LOOK_MS = 5;
const DAY_MS = 86_400_000;
let open: OpenQueue;
let running: RunningJobs | null = null;

beforeAll(async () => {
  open = await openQueue(
    { databaseUrl: url },
    {
      onError: (error) => {
        throw error;
      },
      patience: null,
    },
  );
});
afterEach(async () => {
  await running?.stop();
  running = null;
});
afterAll(() => open.close());

async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await condition())) await pause(LOOK_MS);
}

const waiting = defineJob({
  name: 'waiting',
  schedule: null,
  attempts: 1,
  backoff: 10,
  timeout: 60_000,
  data: Type.Object({}),
  run: ({ signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    }),
});

it('says that it does not take jobs until it does', async () => {
  running = startJobs({ databaseUrl: url, pool, log, jobs: [waiting] });
  expect(running.findings()).toEqual([{ what: 'queue', detail: 'the queue is being opened' }]);
  await running.ready;
  expect(running.findings()).toEqual([]);
});

it('says what keeps it from taking jobs', async () => {
  const nowhere = new URL(url);
  nowhere.pathname = '/nowhere';
  running = startJobs({ databaseUrl: nowhere.href, pool, log, jobs: [waiting] });
  await until(() => running?.findings()[0]?.detail === 'database "nowhere" does not exist');
});

it('ends a run that another worker has taken over', async () => {
  running = startJobs({ databaseUrl: url, pool, log, jobs: [waiting], lockMs: 1_000 });
  await running.ready;
  const id = await enqueueJob(open.queue, waiting, {});
  await until(
    async () => (await pool.query('select from operation.job_run where outcome is null')).rowCount === 1,
  );
  await pool.query(`update bullmq.job set lock_token = 'another' where id = $1`, [id]);
  await until(
    async () => (await pool.query('select from operation.job_run where outcome is null')).rowCount === 0,
  );
  const { rows } = await pool.query('select outcome, error from operation.job_run');
  expect(rows).toEqual([{ outcome: 'failed', error: 'another worker has taken this job over' }]);
});

it('gives up a job that nobody has known for a day', async () => {
  running = startJobs({ databaseUrl: url, pool, log, jobs: [waiting] });
  await running.ready;
  const { id = '' } = await open.queue.add('unheard-of', {}, { timestamp: Date.now() - DAY_MS, attempts: 3 });
  await until(async () => (await open.queue.getJob(id))?.finishedOn !== undefined);
  expect((await open.queue.getJob(id))?.failedReason).toBe('no worker knows a job named unheard-of');
});
