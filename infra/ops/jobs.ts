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
import { type AddCommand, type Print, usageError } from './command.ts';
import { operator, readOpsConfig } from './config.ts';
import { databaseUrl, withPool } from './database.ts';
import { factsOf, followJob, lineWriter, progressLine } from './follow-job.ts';
import { printTable } from './print-table.ts';

/** Runs `work` with the queue of the running system. `npm start` keeps its queue in its database, even with a REDIS_URL. */
async function withQueue<T>(work: (queue: JobQueue) => Promise<T>): Promise<T> {
  const { DATABASE_URL, REDIS_URL, REDIS_PREFIX } = readOpsConfig();
  const open = await openQueue(
    {
      databaseUrl: await databaseUrl(),
      redisUrl: DATABASE_URL === undefined ? undefined : REDIS_URL,
      redisPrefix: REDIS_PREFIX,
    },
    { onError: () => {}, waitUntil: null },
  );
  try {
    return await work(open.queue);
  } finally {
    await open.close();
  }
}

/** Has a job worker build a version, and prints its progress. @throws if the job fails for good */
export const enqueueRebuild = (request: Omit<RebuildRequest, 'decision'>, why: string | null, print: Print) =>
  runInBackground(rebuild, { ...request, decision: { actor: operator(), reason: why } }, print);

/** Has a job worker run a job, and prints its progress. @throws if the job fails for good */
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
    print(`${job.name} is queued as job ${id}`);
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
      log: pino({ level: readOpsConfig().LOG_LEVEL }, pino.destination(2)),
      signal: ending.signal,
      report: (progress) => lines.seldom(progressLine(progress)),
      jobId: null,
      attempt: 1,
      waitForDatabase: false,
    });
    print(`done: ${factsOf(result)}`);
  } finally {
    process.removeListener('SIGINT', onInterrupt);
    await pool.end();
  }
}

const jobNames = declared.map(({ name }) => name).join(', ');

function jobOf(name: string): Job {
  const job = jobByName.get(name);
  if (job === undefined) throw usageError(`Allowed choices are ${jobNames}.`);
  return job;
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw usageError('It must be JSON.');
  }
}

async function list(print: Print): Promise<void> {
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

async function listFailed(name: string | undefined, print: Print): Promise<void> {
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

async function retry(id: string, print: Print): Promise<void> {
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
    print(`${job.name} is queued again as job ${id}`);
  });
}

export const addJobs: AddCommand = (program, print) => {
  const group = program.command('jobs').description('Background jobs.');
  group
    .command('run')
    .description('Run a job now, and follow it until it has ended.')
    .argument('<name>', jobNames, jobOf)
    .option('--data <json>', 'data of the job', json, {})
    .option('--inline', 'run it in this process, without a job worker')
    .action((job, { data, inline }) => (inline ? runInline : runInBackground)(job, data, print));
  group
    .command('list')
    .description('List all jobs with their schedule, last run and next run.')
    .action(() => list(print));
  group
    .command('failed')
    .description('List failed runs in the queue.')
    .argument('[name]', 'only of this job')
    .action((name) => listFailed(name, print));
  group
    .command('retry')
    .description('Run a failed job again.')
    .argument('<id>', 'id in the list of failed runs')
    .action((id) => retry(id, print));
};
