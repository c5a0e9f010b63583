import { setTimeout as pause } from 'node:timers/promises';
import { Type } from '@sinclair/typebox';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { withDatabase } from '../../../test/services/database.ts';
import { defineJob, type Job } from '../define-job.ts';
import { type OpenQueue, openQueue } from './queue.ts';
import { declareSchedules } from './schedules.ts';

const { url, pool } = withDatabase();
/** Poll of a condition; nothing depends on its length. */
const LOOK_MS = 5;
let open: OpenQueue;

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
afterAll(() => open.close());

const scheduled = (name: string, schedule: string | null, attempts = 1): Job =>
  defineJob({
    name,
    schedule,
    attempts,
    backoff: 10,
    timeout: 1_000,
    data: Type.Object({ loud: Type.Boolean({ default: true }) }),
    run: async () => ({}),
  });

async function stored() {
  const schedulers = await open.queue.getJobSchedulers();
  return schedulers
    .map(({ key, name, pattern, tz, template, next }) => ({
      key,
      name,
      pattern,
      tz,
      data: template?.data,
      attempts: template?.opts?.attempts,
      next: Number(next),
    }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

const nextJob = (key: string, next: number) => open.queue.getJob(`repeat:${key}:${next}`);

it('sets, changes and removes schedules as they are declared, in UTC', async () => {
  await declareSchedules(pool, open.queue, [scheduled('daily', '17 3 * * *'), scheduled('asked', null)]);
  const [daily, ...more] = await stored();
  expect(more).toEqual([]);
  expect(daily).toMatchObject({
    key: 'daily',
    name: 'daily',
    pattern: '17 3 * * *',
    tz: 'UTC',
    data: { loud: true },
  });
  expect(new Date(daily?.next ?? 0).toISOString().slice(10)).toBe('T03:17:00.000Z');

  await declareSchedules(pool, open.queue, [
    scheduled('daily', '18 4 * * *', 7),
    scheduled('hourly', '0 * * * *'),
  ]);
  expect((await stored()).map(({ key, pattern, attempts }) => [key, pattern, attempts])).toEqual([
    ['daily', '18 4 * * *', 7],
    ['hourly', '0 * * * *', 1],
  ]);
  expect(await nextJob('daily', daily?.next ?? 0)).toBeUndefined();

  const [changed] = await stored();
  await declareSchedules(pool, open.queue, [scheduled('daily', null)]);
  expect(await stored()).toEqual([]);
  expect(await nextJob('daily', changed?.next ?? 0)).toBeUndefined();
});

it('keeps a run that is overdue when it is declared again', async () => {
  const everySecond = scheduled('often', '* * * * * *');
  await declareSchedules(pool, open.queue, [everySecond]);
  const [before] = await stored();
  const due = before?.next ?? 0;
  while (Date.now() <= due) await pause(LOOK_MS);
  await declareSchedules(pool, open.queue, [everySecond]);
  expect(await stored()).toEqual([before]);
  expect(await nextJob('often', due)).toBeDefined();
});

it('mends a schedule whose next run was lost', async () => {
  const daily = scheduled('mended', '17 3 1 1 *');
  await declareSchedules(pool, open.queue, [daily]);
  const [before] = await stored();
  await pool.query('delete from bullmq.job where id = $1', [`repeat:mended:${before?.next}`]);
  await declareSchedules(pool, open.queue, [daily]);
  expect(await stored()).toEqual([before]);
  expect(await nextJob('mended', before?.next ?? 0)).toBeDefined();
});

it('declares once where several workers start at once', async () => {
  const declared = [scheduled('one', '17 3 * * *'), scheduled('two', '17 4 * * *')];
  await Promise.all(Array.from({ length: 4 }, () => declareSchedules(pool, open.queue, declared)));
  expect((await stored()).map(({ key }) => key)).toEqual(['one', 'two']);
  const { rows } = await pool.query(`select scheduler_id from bullmq.job where state = 'delayed' order by 1`);
  expect(rows).toEqual([{ scheduler_id: 'one' }, { scheduler_id: 'two' }]);
});
