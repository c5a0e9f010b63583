import { setTimeout as pause } from 'node:timers/promises';
import { Type } from '@sinclair/typebox';
import { pino } from 'pino';
import { afterEach, expect, it, vi } from 'vitest';
import { withDatabase } from '../../../test/services/database.ts';
import { defineJob, type Job, type JobContext, type JobResult } from '../define-job.ts';
import { type RunSummary, summarizeRuns } from './history.ts';
import { JobBusy, JobStopped, runJob } from './run-job.ts';

const { pool } = withDatabase();
const log = pino({ level: 'silent' });
/** Poll of a condition; nothing depends on its length. */
const LOOK_MS = 5;

afterEach(() => pool.query('truncate operation.job_run'));

function jobOf(run: (context: JobContext) => Promise<JobResult>, timeout = 60_000): Job {
  return defineJob({
    name: 'example',
    schedule: null,
    attempts: 1,
    backoff: 1,
    timeout,
    data: Type.Object({ size: Type.Integer({ default: 1 }) }),
    run,
  });
}

interface Once {
  readonly signal?: AbortSignal;
  readonly attempt?: number;
  readonly jobId?: string | null;
}

const runOnce = (job: Job, { signal = new AbortController().signal, attempt = 1, jobId = null }: Once = {}) =>
  runJob(job, {}, { pool, log, signal, report: () => {}, jobId, attempt, patient: false });

const untilAborted = ({ signal }: JobContext) =>
  new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

const JOB_LOCKS = `
  from pg_locks where locktype = 'advisory' and objsubid = 2
    and database = (select oid from pg_database where datname = current_database())`;

async function heldLocks(): Promise<number | undefined> {
  const { rows } = await pool.query<{ count: number }>(`select count(*)::int4 ${JOB_LOCKS}`);
  return rows[0]?.count;
}

async function history(): Promise<unknown[][]> {
  const { rows } = await pool.query(
    'select outcome, attempt, data, result, error from operation.job_run order by id',
  );
  return rows.map(({ outcome, attempt, data, result, error }) => [outcome, attempt, data, result, error]);
}

async function summary(): Promise<Pick<RunSummary, 'outcome' | 'failures'> | undefined> {
  const found = (await summarizeRuns(pool)).get('example');
  return found && { outcome: found.outcome, failures: found.failures };
}

it('writes down what came of a run', async () => {
  expect(await runOnce(jobOf(async () => ({ rows: 3 })))).toEqual({ rows: 3 });
  const failing = jobOf(async () => {
    throw new Error('no luck');
  });
  await expect(runOnce(failing, { attempt: 2 })).rejects.toThrow('no luck');
  expect(await history()).toEqual([
    ['done', 1, { size: 1 }, { rows: 3 }, null],
    ['failed', 2, { size: 1 }, null, 'no luck'],
  ]);
  expect(await summary()).toEqual({ outcome: 'failed', failures: 1 });
  await runOnce(jobOf(async () => ({})));
  expect(await summary()).toEqual({ outcome: 'done', failures: 0 });
});

it('tells a run whether an earlier one of the same request broke off', async () => {
  const failing = jobOf(async () => {
    throw new Error('no luck');
  });
  const telling = jobOf(async ({ resumed }) => ({ resumed }));
  await expect(runOnce(failing, { jobId: 'example-1' })).rejects.toThrow('no luck');
  expect(await runOnce(telling, { jobId: 'example-1', attempt: 2 })).toEqual({ resumed: true });
  expect(await runOnce(telling, { jobId: 'example-2' })).toEqual({ resumed: false });
  expect(await runOnce(telling)).toEqual({ resumed: false });
  expect(await runOnce(telling)).toEqual({ resumed: false });
});

it('refuses to run beside another run of the same name, and leaves no trace of that', async () => {
  const begun = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const first = runOnce(
    jobOf(async () => {
      begun.resolve();
      await gate.promise;
      return {};
    }),
  );
  await begun.promise;
  expect(await summary()).toEqual({ outcome: 'running', failures: 0 });
  await expect(runOnce(jobOf(async () => ({})))).rejects.toBeInstanceOf(JobBusy);
  gate.resolve();
  await first;
  expect(await history()).toEqual([['done', 1, { size: 1 }, {}, null]]);
});

it('fails a run that takes too long', async () => {
  await expect(runOnce(jobOf(untilAborted, 20))).rejects.toThrow('example did not end within 0.02 seconds');
  expect((await history()).map(([outcome]) => outcome)).toEqual(['failed']);
});

it('gives up on work that does not heed the signal, but holds its lock until it has ended', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const gate = Promise.withResolvers<JobResult>();
  const begun = Promise.withResolvers<void>();
  const deaf = jobOf(() => {
    begun.resolve();
    return gate.promise;
  }, 1_000);
  const given = expect(runOnce(deaf)).rejects.toThrow('example did not end within 1 seconds');
  await begun.promise;
  await vi.advanceTimersByTimeAsync(11_000);
  vi.useRealTimers();
  await given;
  await expect(runOnce(jobOf(async () => ({})))).rejects.toBeInstanceOf(JobBusy);
  gate.resolve({ late: true });
  while ((await summary())?.outcome === 'running') await pause(LOOK_MS);
  expect((await history()).map(([outcome, , , result]) => [outcome, result])).toEqual([
    ['done', { late: true }],
  ]);
});

it('says that a run was stopped where its worker ended, and keeps a result that came nevertheless', async () => {
  const reason = new JobStopped('told to end');
  const stopping = new AbortController();
  const heeding = jobOf((context) => {
    stopping.abort(reason);
    return untilAborted(context);
  });
  await expect(runOnce(heeding, { signal: stopping.signal })).rejects.toBe(reason);
  const finishing = new AbortController();
  const whole = jobOf(async () => {
    finishing.abort(reason);
    return { whole: true };
  });
  expect(await runOnce(whole, { signal: finishing.signal })).toEqual({ whole: true });
  expect((await history()).map(([outcome, , , , error]) => [outcome, error])).toEqual([
    ['stopped', 'told to end'],
    ['done', null],
  ]);
  expect(await summary()).toEqual({ outcome: 'done', failures: 0 });
});

it('does not begin what was told to end before', async () => {
  const reason = new JobStopped('told to end');
  const never = jobOf(async () => {
    throw new Error('it began');
  });
  await expect(runOnce(never, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  expect(await history()).toEqual([]);
  await runOnce(jobOf(async () => ({})));
});

it('ends a run whose lock was lost with its connection', async () => {
  const begun = Promise.withResolvers<void>();
  const losing = runOnce(
    jobOf((context) => {
      begun.resolve();
      return untilAborted(context);
    }),
  );
  await begun.promise;
  await pool.query(`select pg_terminate_backend(pid) ${JOB_LOCKS}`);
  await expect(losing).rejects.toThrow('example lost its lock');
  expect((await history()).map(([outcome]) => outcome)).toEqual(['failed']);
  // A backend says good-bye before it lets go of its locks.
  await vi.waitUntil(async () => (await heldLocks()) === 0, { interval: LOOK_MS, timeout: 10_000 });
  await runOnce(jobOf(async () => ({})));
});

it('shows a run whose process died as lost, at once and for ever', async () => {
  await pool.query(
    `insert into operation.job_run (name, attempt, data, process) values ('example', 1, '{}', 'elsewhere 1')`,
  );
  expect(await summary()).toEqual({ outcome: 'lost', failures: 1 });
  await expect(
    runOnce(
      jobOf(async () => {
        throw new Error('no luck');
      }),
    ),
  ).rejects.toThrow('no luck');
  expect(await summary()).toEqual({ outcome: 'failed', failures: 2 });
  await runOnce(jobOf(async () => ({})));
  expect((await history()).map(([outcome]) => outcome)).toEqual(['lost', 'failed', 'done']);
  expect(await summary()).toEqual({ outcome: 'done', failures: 0 });
});

it('keeps the newest two hundred runs of a name', async () => {
  await pool.query(
    `insert into operation.job_run (name, attempt, data, process, outcome)
     select name, n, '{}', 'elsewhere 1', 'done' from generate_series(1, 250) n, unnest('{example,other}'::text[]) name
     order by n`,
  );
  await runOnce(
    jobOf(async () => ({})),
    { attempt: 1000 },
  );
  const { rows } = await pool.query(
    `select name, count(*)::int, min(attempt), max(attempt) from operation.job_run group by name order by name`,
  );
  expect(rows).toEqual([
    { name: 'example', count: 200, min: 52, max: 1000 },
    { name: 'other', count: 250, min: 1, max: 250 },
  ]);
});
