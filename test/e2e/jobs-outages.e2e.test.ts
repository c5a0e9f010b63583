import { once } from 'node:events';
import { pino } from 'pino';
import { describe, expect, inject, it } from 'vitest';
import { connect } from '../../db/connect.ts';
import { enqueueJob } from '../../workers/jobs/runner/enqueue.ts';
import { gatedJob, KEEPERS, withJobQueue } from '../support/jobs/queue.ts';
import { pollUntil } from '../support/poll.ts';
import { breakableLink } from '../support/services/breakable-link.ts';

/** For a test that waits for processes to start. */
const PROCESS_MS = 180_000;

describe.each(KEEPERS)('jobs kept in %s', (keeper) => {
  const { url, pool, settings, queue, startWorker, startProcess, runsOf, untilState } = withJobQueue(keeper);

  it(
    'takes over the job of a worker that was killed',
    async () => {
      await pool.query(
        `insert into ingest.source (name) values ('test') on conflict do nothing;
       insert into ingest.mirror (source, key, subject, order_key, row, version, source_time, changed_time, applied_at)
       select id, 'gone', 'gone', '', null, '1', now(), now(), now() - interval '31 days'
       from ingest.source where name = 'test'`,
      );
      const holder = await pool.connect();
      await holder.query(`begin; select from ingest.mirror where key = 'gone' for update`);
      const { id = '' } = await queue().add('retention', {}, { attempts: 1 });
      const doomed = startProcess();
      await pollUntil(async () => (await runsOf('retention')).length === 1);
      doomed.kill('SIGKILL');
      await once(doomed, 'exit');

      const next = startProcess();
      await pollUntil(async () => (await runsOf('retention')).length === 2);
      await holder.query('rollback');
      holder.release();
      await untilState(id, 'completed');
      next.kill('SIGTERM');
      expect(await once(next, 'exit')).toEqual([0, null]);

      expect(
        (await runsOf('retention')).map(({ job_id, attempt, outcome }) => [job_id, attempt, outcome]),
      ).toEqual([
        [id, 1, 'lost'],
        [id, 1, 'done'],
      ]);
      expect((await pool.query('select from ingest.mirror')).rowCount).toBe(0);
    },
    PROCESS_MS,
  );

  /** A breakable link to the server of the queue, settings that use it, a log and its warnings. */
  async function breakable() {
    const link = await breakableLink(keeper === 'redis' ? inject('redisUrl') : url);
    const linked =
      keeper === 'redis'
        ? { ...settings(), redisUrl: link.through(inject('redisUrl')) }
        : { databaseUrl: link.through(url) };
    const warnings: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => warnings.push(line) });
    return { link, linked, warnings, log };
  }

  it('waits for a server that is unavailable at the start', async () => {
    const { link, linked, warnings, log } = await breakable();
    await link.cut();
    const { job, waiting } = gatedJob('patient');
    const started = startWorker([job], { ...linked, log });
    await pollUntil(() => warnings.length > 0);
    await link.mend();
    await started.ready;
    const id = await enqueueJob(queue(), job, {});
    await pollUntil(() => waiting.length === 1);
    waiting[0]?.resolve();
    await untilState(id, 'completed');
    await started.stop();
    await link.cut();
  });

  it('finishes the running job and the next after its server was unavailable', async () => {
    const { link, linked, warnings, log } = await breakable();
    const { job, waiting } = gatedJob('persistent');
    const started = startWorker([job], { ...linked, log });
    await started.ready;
    const first = await enqueueJob(queue(), job, {});
    await pollUntil(() => waiting.length === 1);
    await link.cut();
    await pollUntil(() => warnings.length > 0);
    await link.mend();
    waiting[0]?.resolve();
    await untilState(first, 'completed');
    const second = await enqueueJob(queue(), job, {});
    await pollUntil(() => waiting.length === 2);
    waiting[1]?.resolve();
    await untilState(second, 'completed');
    expect((await runsOf(job.name)).map(({ job_id, outcome }) => [job_id, outcome])).toEqual([
      [first, 'done'],
      [second, 'done'],
    ]);
    await started.stop();
    await link.cut();
  });

  it('delays a run while the database is unavailable', async () => {
    const link = await breakableLink(url);
    const linked = connect(link.through(url), 'test');
    const { job, waiting } = gatedJob('wants-database');
    const started = startWorker([job], { pool: linked });
    await started.ready;
    await link.cut();
    const id = await enqueueJob(queue(), job, {});
    await untilState(id, 'active');
    expect(waiting.length).toBe(0);
    await link.mend();
    await pollUntil(() => waiting.length === 1);
    waiting[0]?.resolve();
    await untilState(id, 'completed');
    expect((await runsOf(job.name)).map(({ attempt, outcome }) => [attempt, outcome])).toEqual([[1, 'done']]);
    await started.stop();
    await linked.end();
    await link.cut();
  });

  it('stops while its server is unavailable', async () => {
    const { link, linked } = await breakable();
    const { job } = gatedJob('idle');
    const idle = startWorker([job], linked);
    await idle.ready;
    await link.cut();
    await idle.stop();
    await startWorker([job], linked).stop();
  });
});
