import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { recordAudit } from '../../db/audit.ts';
import { connect } from '../../db/connect.ts';
import type { Job } from '../../workers/jobs/define-job.ts';
import { jobs as declared, jobByName } from '../../workers/jobs/index.ts';
import { type RebuildRequest, rebuild } from '../../workers/jobs/rebuild.ts';
import { enqueueJob } from '../../workers/jobs/runner/enqueue.ts';
import { type RunSummary, summarizeRuns } from '../../workers/jobs/runner/history.ts';
import { type JobQueue, openQueue } from '../../workers/jobs/runner/queue.ts';
import { JobStopped, runJob } from '../../workers/jobs/runner/run-job.ts';
import { BUILD_CONNECTIONS } from '../../workers/project/build-version.ts';
import { commandOf, type Print, usageError } from './command.ts';
import { databaseUrl, withPool } from './database.ts';
import { factsOf, followJob, lineWriter, progressLine } from './follow-job.ts';
import { operator } from './operator.ts';
import { printTable } from './print-table.ts';

/** Does `work` on the queue of the running system. `npm start` keeps its queue in its database, whatever REDIS_URL says. */
async function withQueue<T>(work: (queue: JobQueue) => Promise<T>): Promise<T> {
  const open = await openQueue(
    {
      databaseUrl: await databaseUrl(),
      redisUrl: process.env.DATABASE_URL ? process.env.REDIS_URL : undefined,
      redisPrefix: process.env.REDIS_PREFIX,
    },
    { onError: () => {}, patience: null },
  );
  try {
    return await work(open.queue);
  } finally {
    await open.close();
  }
}

/** For the build of a version by a job worker; says what becomes of it. @throws where it fails for good */
export const enqueueRebuild = (request: Omit<RebuildRequest, 'decision'>, why: string | null, print: Print) =>
  runInBackground(rebuild, { ...request, decision: { actor: operator(), reason: why } }, print);

/** Has a job worker do a job, and says what becomes of it. @throws where it fails for good */
async function runInBackground(job: Job, data: unknown, print: Print): Promise<void> {
  const complete = job.parse(data);
  await withPool((pool) =>
    recordAudit(pool, {
      actor: operator(),
      action: 'jobs run',
      target: job.name,
      detail: { data: complete, inline: false },
    }),
  );
  await withQueue(async (queue) => {
    const id = await enqueueJob(queue, job, complete);
    print(`${job.name} is in the queue as job ${id}`);
    print(`done: ${factsOf(await followJob(queue, id, print))}`);
  });
}

async function runInline(job: Job, data: unknown, print: Print): Promise<void> {
  const complete = job.parse(data);
  const lines = lineWriter(print);
  const ending = new AbortController();
  const onInterrupt = () => ending.abort(new JobStopped(`${job.name} was interrupted`));
  process.once('SIGINT', onInterrupt);
  // One connection holds the job's lock.
  const pool = connect(await databaseUrl(), 'ops jobs', { max: BUILD_CONNECTIONS + 1 });
  try {
    await recordAudit(pool, {
      actor: operator(),
      action: 'jobs run',
      target: job.name,
      detail: { data: complete, inline: true },
    });
    const result = await runJob(job, complete, {
      pool,
      log: pino({ level: process.env.LOG_LEVEL ?? 'warn' }, pino.destination(2)),
      signal: ending.signal,
      report: (progress) => lines.seldom(progressLine(progress)),
      jobId: null,
      attempt: 1,
      patient: false,
    });
    print(`done: ${factsOf(result)}`);
  } finally {
    process.removeListener('SIGINT', onInterrupt);
    await pool.end();
  }
}

async function run(args: string[], print: Print): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    options: { data: { type: 'string', default: '{}' }, inline: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0) throw usageError('jobs run takes one name');
  const job = jobByName.get(name);
  if (job === undefined)
    throw usageError(
      `there is no job "${name}"; there are ${declared.map((known) => known.name).join(', ')}`,
    );
  const data = readData(values.data);
  await (values.inline ? runInline : runInBackground)(job, data, print);
}

function readData(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw usageError(`--data is JSON, not ${text}`);
  }
}

async function list(args: string[], print: Print): Promise<void> {
  parseArgs({ args, options: {} });
  const runs = await withPool(summarizeRuns);
  const schedulers = await withQueue((queue) => queue.getJobSchedulers());
  const next = new Map(schedulers.map((scheduler) => [scheduler.key, scheduler.next]));
  printTable(
    print,
    ['name', 'schedule', 'lastRun', 'seconds', 'lastResult', 'failures', 'nextRun'],
    declared.map(({ name, schedule }) => {
      const summary = runs.get(name);
      const at = next.get(name);
      return {
        name,
        schedule,
        lastRun: summary?.startedAt,
        seconds: summary?.seconds?.toFixed(1),
        lastResult: summary && resultOf(summary),
        failures: summary?.failures ?? 0,
        nextRun: at === undefined ? null : new Date(at),
      };
    }),
  );
}

function resultOf({ outcome, result, error }: RunSummary): string {
  const detail = error ?? (result === null ? null : factsOf(result));
  return detail === null ? outcome : `${outcome}: ${detail}`;
}

async function failed(args: string[], print: Print): Promise<void> {
  const [name, ...more] = parseArgs({ args, options: {}, allowPositionals: true }).positionals;
  if (more.length > 0) throw usageError('jobs failed takes one name at most');
  const all = await withQueue((queue) => queue.getFailed());
  printTable(
    print,
    ['id', 'name', 'failedAt', 'attempts', 'reason', 'data'],
    all
      .filter((job) => name === undefined || job.name === name)
      .map((job) => ({
        id: job.id,
        name: job.name,
        failedAt: job.finishedOn === undefined ? null : new Date(job.finishedOn),
        attempts: job.attemptsMade,
        reason: job.failedReason,
        data: JSON.stringify(job.data),
      })),
  );
}

async function retry(args: string[], print: Print): Promise<void> {
  const [id, ...more] = parseArgs({ args, options: {}, allowPositionals: true }).positionals;
  if (id === undefined || more.length > 0) throw usageError('jobs retry takes one id');
  await withQueue(async (queue) => {
    const job = await queue.getJob(id);
    const state = await job?.getState();
    if (job === undefined || state !== 'failed')
      throw new Error(job === undefined ? `the queue has no job ${id}` : `job ${id} is ${state}, not failed`);
    await withPool((pool) =>
      recordAudit(pool, {
        actor: operator(),
        action: 'jobs retry',
        target: id,
        detail: { name: job.name, data: job.data },
      }),
    );
    await job.retry('failed', { resetAttemptsMade: true });
    print(`${job.name} is in the queue again as job ${id}`);
  });
}

const actions = new Map([
  ['run', run],
  ['list', list],
  ['failed', failed],
  ['retry', retry],
]);

export const jobs = commandOf(
  'jobs',
  ['jobs run NAME [--data JSON] [--inline]', 'jobs list', 'jobs failed [NAME]', 'jobs retry ID'],
  actions,
);
