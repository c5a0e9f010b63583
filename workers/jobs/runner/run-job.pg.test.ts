import { Type } from '@sinclair/typebox';
import { pino } from 'pino';
import { afterEach, expect, it, vi } from 'vitest';
import { withDatabase } from '../../../test/support/services/database.ts';
import { defineJob, type Job, type JobContext, type JobResult } from '../define-job.ts';
import { type RunSummary, summarizeRuns } from './history.ts';
import { JobBusy, JobStopped, runJob } from './run-job.ts';

const { pool } = withDatabase();
const log = pino({ level: 'silent' });

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
  runJob(job, {}, { pool, log, signal, report: () => {}, jobId, attempt, waitForDatabase: false });

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

it('records the outcome of a run', async () => {
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

it('passes to a run whether an earlier run of the same queued job broke off', async () => {
  const failing = jobOf(async () => {
    throw new Error('no luck');
  });
  const resumable = jobOf(async ({ resumed }) => ({ resumed }));
  await expect(runOnce(failing, { jobId: 'example-1' })).rejects.toThrow('no luck');
  expect(await runOnce(resumable, { jobId: 'example-1', attempt: 2 })).toEqual({ resumed: true });
  expect(await runOnce(resumable, { jobId: 'example-2' })).toEqual({ resumed: false });
  expect(await runOnce(resumable)).toEqual({ resumed: false });
  expect(await runOnce(resumable)).toEqual({ resumed: false });
});

it('rejects a concurrent run of the same name without recording it', async () => {
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

it('fails a run that exceeds its timeout', async () => {
  await expect(runOnce(jobOf(untilAborted, 20))).rejects.toThrow('example did not end within 0.02 seconds');
  expect((await history()).map(([outcome]) => outcome)).toEqual(['failed']);
});

it('fails a run that ignores the signal, but holds its lock until the run has ended', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const gate = Promise.withResolvers<JobResult>();
  const begun = Promise.withResolvers<void>();
  const ignoring = jobOf(() => {
    begun.resolve();
    return gate.promise;
  }, 1_000);
  const given = expect(runOnce(ignoring)).rejects.toThrow('example did not end within 1 seconds');
  await begun.promise;
  await vi.advanceTimersByTimeAsync(11_000);
  vi.useRealTimers();
  await given;
  await expect(runOnce(jobOf(async () => ({})))).rejects.toBeInstanceOf(JobBusy);
  gate.resolve({ late: true });
  await expect.poll(summary).not.toMatchObject({ outcome: 'running' });
  expect((await history()).map(([outcome, , , result]) => [outcome, result])).toEqual([
    ['done', { late: true }],
  ]);
});

it('records a run as stopped when its worker shuts down, and keeps the result of a run that finishes', async () => {
  const reason = new JobStopped('worker shut down');
  const stopping = new AbortController();
  const stopped = jobOf((context) => {
    stopping.abort(reason);
    return untilAborted(context);
  });
  await expect(runOnce(stopped, { signal: stopping.signal })).rejects.toBe(reason);
  const finishing = new AbortController();
  const whole = jobOf(async () => {
    finishing.abort(reason);
    return { whole: true };
  });
  expect(await runOnce(whole, { signal: finishing.signal })).toEqual({ whole: true });
  expect((await history()).map(([outcome, , , , error]) => [outcome, error])).toEqual([
    ['stopped', 'worker shut down'],
    ['done', null],
  ]);
  expect(await summary()).toEqual({ outcome: 'done', failures: 0 });
});

it('does not begin a run whose signal has aborted', async () => {
  const reason = new JobStopped('worker shut down');
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
  // A backend closes its connection before it releases its locks.
  await expect.poll(heldLocks).toBe(0);
  await runOnce(jobOf(async () => ({})));
});

it('shows a run whose process died as lost, before and after the next run', async () => {
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
