import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { defineJob } from '../../workers/jobs/define-job.ts';
import { enqueueJob } from '../../workers/jobs/runner/enqueue.ts';
import { gatedJob, KEEPERS, withJobQueue } from '../support/jobs/queue.ts';
import { pollUntil } from '../support/poll.ts';

describe.each(KEEPERS)('jobs kept in %s', (keeper) => {
  const { queue, startWorker, stopWorkers, runsOf, untilState } = withJobQueue(keeper);

  it('gives one run to each tick of a schedule, however many workers there are', async () => {
    const job = defineJob({
      name: 'every-second',
      schedule: '* * * * * *',
      attempts: 1,
      backoff: 10,
      timeout: 60_000,
      data: Type.Object({}),
      run: async () => ({}),
    });
    await Promise.all([startWorker([job]), startWorker([job]), startWorker([job])].map(({ ready }) => ready));
    await pollUntil(
      async () => (await runsOf(job.name)).filter(({ outcome }) => outcome === 'done').length >= 3,
    );
    await stopWorkers();

    // One that a worker had to hand back as it stopped is done by another.
    const ticks = (await runsOf(job.name))
      .filter(({ outcome }) => outcome === 'done')
      .map(({ job_id }) => Number(job_id?.split(':').at(-1)));
    expect(new Set(ticks).size).toBe(ticks.length);
    expect(ticks.map((tick) => tick % 1000)).toEqual(ticks.map(() => 0));
  });

  it('runs two jobs of one name one after the other', async () => {
    const { job, waiting } = gatedJob('one-at-a-time');
    await Promise.all([startWorker([job]), startWorker([job])].map(({ ready }) => ready));
    const ids = [await enqueueJob(queue(), job, {}), await enqueueJob(queue(), job, {})];
    const states = () => Promise.all(ids.map(async (id) => (await queue().getJob(id))?.getState()));
    await pollUntil(async () => (await states()).sort().join() === 'active,delayed');
    await pollUntil(() => waiting.length > 0);
    expect(waiting.length).toBe(1);
    waiting[0]?.resolve();
    await pollUntil(() => waiting.length === 2);
    waiting[1]?.resolve();
    await pollUntil(async () => (await states()).join() === 'completed,completed');

    const runs = await runsOf(job.name);
    expect(runs.map(({ outcome, attempt }) => [outcome, attempt])).toEqual([
      ['done', 1],
      ['done', 1],
    ]);
    expect(Number(runs[1]?.started_at)).toBeGreaterThanOrEqual(Number(runs[0]?.finished_at));
  });

  it('lets a job of another name pass one that runs', async () => {
    const long = gatedJob('long');
    const short = gatedJob('short');
    await startWorker([long.job, short.job]).ready;
    await enqueueJob(queue(), long.job, {});
    await pollUntil(() => long.waiting.length === 1);
    await enqueueJob(queue(), short.job, {});
    await pollUntil(() => short.waiting.length === 1);
    short.waiting[0]?.resolve();
    await pollUntil(async () => (await runsOf('short'))[0]?.outcome === 'done');
    expect((await runsOf('long')).map(({ outcome }) => outcome)).toEqual([null]);
    long.waiting[0]?.resolve();
    await pollUntil(async () => (await runsOf('long'))[0]?.outcome === 'done');
  });

  it('tries again what failed, and gives up after the last attempt', async () => {
    let failures = 0;
    const job = defineJob({
      name: 'fragile',
      schedule: null,
      attempts: 3,
      backoff: 10,
      timeout: 60_000,
      data: Type.Object({ until: Type.Integer() }),
      async run(_, data) {
        if (failures++ < data.until) throw new Error(`failure ${failures}`);
        return { failures };
      },
    });
    await startWorker([job]).ready;
    const mended = await enqueueJob(queue(), job, { until: 2 });
    await pollUntil(async () => (await queue().getJob(mended))?.finishedOn !== undefined);
    expect((await queue().getJob(mended))?.returnvalue).toEqual({ failures: 3 });
    const broken = await enqueueJob(queue(), job, { until: 100 });
    await pollUntil(async () => (await queue().getJob(broken))?.finishedOn !== undefined);

    expect((await runsOf(job.name)).map(({ attempt, outcome, error }) => [attempt, outcome, error])).toEqual([
      [1, 'failed', 'failure 1'],
      [2, 'failed', 'failure 2'],
      [3, 'done', null],
      [1, 'failed', 'failure 4'],
      [2, 'failed', 'failure 5'],
      [3, 'failed', 'failure 6'],
    ]);
    expect(
      (await queue().getFailed()).map(({ id, failedReason, attemptsMade }) => [
        id,
        failedReason,
        attemptsMade,
      ]),
    ).toEqual([[broken, 'failure 6', 3]]);
  });

  it('hands back the job in hand when it stops, without counting an attempt', async () => {
    const { job, waiting } = gatedJob('handed-back');
    const first = startWorker([job]);
    await first.ready;
    const id = await enqueueJob(queue(), job, {});
    await pollUntil(() => waiting.length === 1);
    await first.stop();
    const queued = await queue().getJob(id);
    expect([await queued?.getState(), queued?.attemptsMade]).toEqual(['waiting', 0]);

    await startWorker([job]).ready;
    await pollUntil(() => waiting.length === 2);
    waiting[1]?.resolve();
    await pollUntil(async () => (await queue().getJob(id))?.finishedOn !== undefined);
    expect((await runsOf(job.name)).map(({ attempt, outcome }) => [attempt, outcome])).toEqual([
      [1, 'stopped'],
      [1, 'done'],
    ]);
  });

  it('keeps a job that only newer code knows for a worker that knows it', async () => {
    const newer = gatedJob('newer');
    await startWorker([gatedJob('older').job]).ready;
    const id = await enqueueJob(queue(), newer.job, {});
    await untilState(id, 'delayed');
    expect((await queue().getJob(id))?.attemptsMade).toBe(0);
    expect(await runsOf('newer')).toEqual([]);
  });
});
