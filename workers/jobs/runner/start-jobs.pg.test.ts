import { Type } from '@sinclair/typebox';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { openTestQueue } from '../../../test/support/jobs/queue.ts';
import { withDatabase } from '../../../test/support/services/database.ts';
import { defineJob } from '../define-job.ts';
import { enqueueJob } from './enqueue.ts';
import type { OpenQueue } from './queue.ts';
import { type RunningJobs, startJobs } from './start-jobs.ts';

const { url, pool } = withDatabase();
const log = pino({ level: 'silent' });
const DAY_MS = 86_400_000;
let open: OpenQueue;
let running: RunningJobs | null = null;

beforeAll(async () => {
  open = await openTestQueue({ databaseUrl: url });
});
afterEach(async () => {
  await running?.stop();
  running = null;
});
afterAll(() => open.close());

const openRuns = async (): Promise<number | null> =>
  (await pool.query('select from operation.job_run where outcome is null')).rowCount;

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

it('reports that it is opening the queue until it is ready', async () => {
  running = startJobs({ databaseUrl: url, pool, log, jobs: [waiting] });
  expect(running.findings()).toEqual([{ what: 'queue', detail: 'the queue is being opened' }]);
  await running.ready;
  expect(running.findings()).toEqual([]);
});

it('reports why it cannot open the queue', async () => {
  const nowhere = new URL(url);
  nowhere.pathname = '/nowhere';
  running = startJobs({ databaseUrl: nowhere.href, pool, log, jobs: [waiting] });
  await expect
    .poll(() => running?.findings())
    .toMatchObject([{ detail: 'database "nowhere" does not exist' }]);
});

it('ends a run that another worker has taken over', async () => {
  running = startJobs({ databaseUrl: url, pool, log, jobs: [waiting], lockMs: 1_000 });
  await running.ready;
  const id = await enqueueJob(open.queue, waiting, {});
  await expect.poll(openRuns).toBe(1);
  await pool.query(`update bullmq.job set lock_token = 'another' where id = $1`, [id]);
  await expect.poll(openRuns).toBe(0);
  const { rows } = await pool.query('select outcome, error from operation.job_run');
  expect(rows).toEqual([{ outcome: 'failed', error: 'another worker has taken this job over' }]);
});

it('fails a job that no worker has known for a day', async () => {
  running = startJobs({ databaseUrl: url, pool, log, jobs: [waiting] });
  await running.ready;
  const { id = '' } = await open.queue.add('unheard-of', {}, { timestamp: Date.now() - DAY_MS, attempts: 3 });
  await expect
    .poll(async () => (await open.queue.getJob(id))?.failedReason)
    .toBe('no worker knows a job named unheard-of');
});
