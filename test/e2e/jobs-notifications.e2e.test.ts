import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { defineJob } from '../../workers/jobs/define-job.ts';
import { KEEPERS, withJobQueue } from '../support/jobs/queue.ts';
import { pollUntil } from '../support/poll.ts';

const LISTENERS = `
  select pid from pg_stat_activity
  where datname = current_database() and application_name = 'linernotes jobs notifications' and state = 'idle'
    and query like 'listen %'`;

describe.each(KEEPERS)('notifications for jobs kept in %s', (keeper) => {
  const { pool, startWorker, runsOf } = withJobQueue(keeper);
  const notify = () => pool.query(`select pg_notify('test.changes', '')`);
  const listeners = async (): Promise<number[]> => (await pool.query(LISTENERS)).rows.map(({ pid }) => pid);

  it('run the job, which also runs whenever its worker starts to listen', async () => {
    const job = defineJob({
      name: 'notified',
      schedule: null,
      wakesOn: 'test.changes',
      attempts: 1,
      backoff: 10,
      timeout: 60_000,
      data: Type.Object({ asked: Type.Boolean({ default: true }) }),
      run: async (_, { asked }) => ({ asked }),
    });
    const isDone = (times: number) => async () =>
      (await runsOf('notified')).filter(({ outcome }) => outcome === 'done').length === times;
    await startWorker([job]).ready;
    // The worker may have missed notifications before it listened.
    await pollUntil(isDone(1));
    await notify();
    await pollUntil(isDone(2));

    const [broken] = await listeners();
    await pool.query('select pg_terminate_backend($1)', [broken]);
    await pollUntil(isDone(3));
    await notify();
    await pollUntil(isDone(4));
  });

  it('run the job once more when they come during a run', async () => {
    const gate = Promise.withResolvers<void>();
    let begun = 0;
    const job = defineJob({
      name: 'busy',
      schedule: null,
      wakesOn: 'test.changes',
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
    await pollUntil(async () => (await listeners()).length === 2);
    await pollUntil(() => begun === 1);
    for (let n = 0; n < 20; n++) await notify();
    const { rows } = await pool.query<{ now: Date }>('select clock_timestamp() as now');
    gate.resolve();
    await pollUntil(
      async () => (await runsOf('busy')).filter(({ outcome }) => outcome === 'done').length >= 2,
    );
    const later = (await runsOf('busy')).filter(({ started_at }) => started_at >= (rows[0]?.now ?? 0));
    expect(later.length).toBeGreaterThanOrEqual(1);
  });
});
