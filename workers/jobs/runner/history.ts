import { hostname } from 'node:os';
import type { Pool } from 'pg';
import { LOCKS } from '../../../db/locks.ts';
import type { JobResult } from '../define-job.ts';

/**
 * How a run ended: `stopped` handed its work back because its worker was told to end; `lost` never said how it ended,
 * because its process died or could not reach the database.
 */
type Outcome = 'done' | 'failed' | 'stopped' | 'lost';

export interface StartedRun {
  readonly name: string;
  readonly data: unknown;
  /** Of the queue; null where somebody ran it in their own process. */
  readonly jobId: string | null;
  readonly attempt: number;
}

/** Runs of one name that are kept. */
const KEPT = 200;

// Whoever begins holds the job's lock, so a run that is still open here has died.
const BEGIN = `
  with dead as (
    update operation.job_run set outcome = 'lost' where name = $1 and outcome is null
  ), old as (
    delete from operation.job_run where id in (
      select id from operation.job_run where name = $1 order by id desc offset $2
    )
  )
  insert into operation.job_run (name, job_id, attempt, data, process) values ($1, $3, $4, $5, $6)
  returning id, exists (select from operation.job_run earlier where earlier.name = $1 and earlier.job_id = $3) as resumed`;

export interface BegunRun {
  readonly id: string;
  /** Whether an earlier run of the same queued job had begun. */
  readonly resumed: boolean;
}

/** Notes that a run begins. Only for who holds the job's lock. */
export async function beginRun(pool: Pool, { name, data, jobId, attempt }: StartedRun): Promise<BegunRun> {
  const { rows } = await pool.query<BegunRun>(BEGIN, [
    name,
    KEPT - 1,
    jobId,
    attempt,
    JSON.stringify(data),
    `${hostname()} ${process.pid}`,
  ]);
  const [begun] = rows;
  if (begun === undefined) throw new Error(`the run of ${name} was not noted`);
  return begun;
}

/** How a run ended, with its result or what went wrong. */
export interface RunEnd {
  readonly outcome: Exclude<Outcome, 'lost'>;
  readonly result?: JobResult;
  readonly error?: string;
}

export async function endRun(pool: Pool, id: string, { outcome, result, error }: RunEnd): Promise<void> {
  await pool.query(
    `update operation.job_run set outcome = $2, finished_at = clock_timestamp(), result = $3, error = $4 where id = $1`,
    [id, outcome, result === undefined ? null : JSON.stringify(result), error ?? null],
  );
}

/** What is known of a job's runs. */
export interface RunSummary {
  readonly name: string;
  readonly startedAt: Date;
  /** Seconds the newest run took, or has taken so far; null where it was lost. */
  readonly seconds: number | null;
  readonly outcome: Outcome | 'running';
  readonly result: JobResult | null;
  readonly error: string | null;
  /** Runs that failed or were lost since the last one that was done. */
  readonly failures: number;
}

// An open run whose lock nobody holds has died, though no later run has noticed yet.
const SUMMARIES = `
  with held as (
    select objid::bigint as id from pg_locks
    where locktype = 'advisory' and classid = $1 and objsubid = 2 and granted
      and database = (select oid from pg_database where datname = current_database())
  ), known as (
    select id, name, started_at, finished_at, result, error,
      coalesce(outcome,
        case when (hashtext(name)::bigint & 4294967295) in (select id from held) then 'running' else 'lost' end
      ) as outcome
    from operation.job_run
  ), newest as (
    select distinct on (name) * from known order by name, id desc
  )
  select name, started_at as "startedAt", outcome, result, error,
    extract(epoch from coalesce(finished_at, case outcome when 'running' then clock_timestamp() end) - started_at)::float8
      as seconds,
    (select count(*)::int from known
     where known.name = newest.name and known.outcome in ('failed', 'lost')
       and known.id > coalesce((select max(id) from known done where done.name = newest.name and done.outcome = 'done'), 0)
    ) as failures
  from newest`;

/** The newest run of each job that ever ran. */
export async function summarizeRuns(pool: Pool): Promise<Map<string, RunSummary>> {
  const { rows } = await pool.query<RunSummary>(SUMMARIES, [LOCKS.job]);
  return new Map(rows.map((row) => [row.name, row]));
}
