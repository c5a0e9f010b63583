import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { defineJob } from '../workers/jobs/define-job.ts';
import { KEEPERS, until, withJobQueue } from './job-queue.ts';

const LISTENERS = `
  select pid from pg_stat_activity
  where datname = current_database() and application_name = 'linernotes jobs news' and state = 'idle'
    and query like 'listen %'`;

describe.each(KEEPERS)('news for jobs kept in %s', (keeper) => {
  const { pool, startWorker, runsOf } = withJobQueue(keeper);
  const announce = () => pool.query(`select pg_notify('test.news', '')`);
  const listeners = async (): Promise<number[]> => (await pool.query(LISTENERS)).rows.map(({ pid }) => pid);

  it('has a job run at once, and as its worker begins to listen, again or for the first time', async () => {
    const job = defineJob({
      name: 'told',
      schedule: null,
      wakesOn: 'test.news',
      attempts: 1,
      backoff: 10,
      timeout: 60_000,
      data: Type.Object({ asked: Type.Boolean({ default: true }) }),
      run: async (_, { asked }) => ({ asked }),
    });
    const isDone = (times: number) => async () =>
      (await runsOf('told')).filter(({ outcome }) => outcome === 'done').length === times;
    await startWorker([job]).ready;
    // What was announced before anybody listened is not known.
    await until(isDone(1));
    await announce();
    await until(isDone(2));

    const [broken] = await listeners();
    await pool.query('select pg_terminate_backend($1)', [broken]);
    await until(isDone(3));
    await announce();
    await until(isDone(4));
  });

  it('that comes while a job runs has it run once more', async () => {
    const gate = Promise.withResolvers<void>();
    let begun = 0;
    const job = defineJob({
      name: 'busy',
      schedule: null,
      wakesOn: 'test.news',
      attempts: 1,
      backoff: 10,
      timeout: 60_000,
      data: Type.Object({}),
      async run() {
        if (++begun === 1) await gate.promise;
        return {};
      },
    });
    await Promise.all([startWorker([job]), startWorker([job])].map(({ ready }) => ready));
    await until(async () => (await listeners()).length === 2);
    await until(() => begun === 1);
    for (let n = 0; n < 20; n++) await announce();
    const { rows } = await pool.query<{ now: Date }>('select clock_timestamp() as now');
    gate.resolve();
    await until(async () => (await runsOf('busy')).filter(({ outcome }) => outcome === 'done').length >= 2);
    const later = (await runsOf('busy')).filter(({ started_at }) => started_at >= (rows[0]?.now ?? 0));
    expect(later.length).toBeGreaterThanOrEqual(1);
  });
});
