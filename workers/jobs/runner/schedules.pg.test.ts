import { Type } from '@sinclair/typebox';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { LOCKS } from '../../../db/locks.ts';
import { openTestQueue } from '../../../test/support/jobs/queue.ts';
import { withDatabase } from '../../../test/support/services/database.ts';
import { lockWaiters } from '../../../test/support/services/lock-waiters.ts';
import { defineJob, type Job } from '../define-job.ts';
import type { OpenQueue } from './queue.ts';
import { declareSchedules } from './schedules.ts';

const { url, pool } = withDatabase();
/** No test schedule is due at this time. */
const NOW_MS = Date.UTC(2026, 1, 3, 12, 0, 0, 500);
let open: OpenQueue;

beforeAll(async () => {
  open = await openTestQueue({ databaseUrl: url });
});
afterAll(() => open.close());
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW_MS });
});
afterEach(() => {
  vi.useRealTimers();
});

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

const declare = (jobs: readonly Job[]) => declareSchedules(open.queue, jobs, pool);

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

it('sets, changes and removes schedules, in UTC', async () => {
  await declare([scheduled('daily', '17 3 * * *'), scheduled('asked', null)]);
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

  await declare([scheduled('daily', '18 4 * * *', 7), scheduled('hourly', '0 * * * *')]);
  expect((await stored()).map(({ key, pattern, attempts }) => [key, pattern, attempts])).toEqual([
    ['daily', '18 4 * * *', 7],
    ['hourly', '0 * * * *', 1],
  ]);
  expect(await nextJob('daily', daily?.next ?? 0)).toBeUndefined();

  const [changed] = await stored();
  await declare([scheduled('daily', null)]);
  expect(await stored()).toEqual([]);
  expect(await nextJob('daily', changed?.next ?? 0)).toBeUndefined();
});

it('keeps an overdue run when its schedule is declared again', async () => {
  const everySecond = scheduled('often', '* * * * * *');
  await declare([everySecond]);
  const [before] = await stored();
  const due = before?.next ?? 0;
  vi.setSystemTime(due + 500);
  await declare([everySecond]);
  expect(await stored()).toEqual([before]);
  expect(await nextJob('often', due)).toBeDefined();
});

it('repairs a schedule whose next run was lost', async () => {
  const daily = scheduled('mended', '17 3 1 1 *');
  await declare([daily]);
  const [before] = await stored();
  await pool.query('delete from bullmq.job where id = $1', [`repeat:mended:${before?.next}`]);
  await declare([daily]);
  expect(await stored()).toEqual([before]);
  expect(await nextJob('mended', before?.next ?? 0)).toBeDefined();
});

it('declares each schedule once when several workers start concurrently', async () => {
  for (const hour of [3, 4, 5]) {
    const declared = [scheduled('one', `17 ${hour} * * *`), scheduled('two', `18 ${hour} * * *`)];
    await Promise.all(Array.from({ length: 4 }, () => declare(declared)));
    expect((await stored()).map(({ key, pattern }) => [key, pattern])).toEqual([
      ['one', `17 ${hour} * * *`],
      ['two', `18 ${hour} * * *`],
    ]);
    const { rows } = await pool.query(
      `select scheduler_id from bullmq.job where state = 'delayed' order by 1`,
    );
    expect(rows).toEqual([{ scheduler_id: 'one' }, { scheduler_id: 'two' }]);
  }
});

it('waits while another worker declares', async () => {
  await declare([]);
  const other = await pool.connect();
  await other.query('select pg_advisory_lock($1)', [LOCKS.schedules]);
  const declaring = declare([scheduled('one', '17 3 * * *')]);
  await expect.poll(() => lockWaiters(pool)).toBe(1);
  expect(await stored()).toEqual([]);
  await other.query('select pg_advisory_unlock_all()');
  other.release();
  await declaring;
  expect(await stored()).toMatchObject([{ key: 'one' }]);
});
