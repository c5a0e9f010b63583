import { hostname } from 'node:os';
import type { Pool } from 'pg';
import { LOCKS } from '../../../db/locks.ts';
import type { JobResult } from '../define-job.ts';

/** How a run ended. `stopped`: its worker shut down and handed it back. `lost`: its process died, or could not record the end. */
type Outcome = 'done' | 'failed' | 'stopped' | 'lost';

interface RunStart {
  readonly name: string;
  readonly data: unknown;
  /** Id in the queue; null if it runs without the queue. */
  readonly jobId: string | null;
  readonly attempt: number;
}

/** Runs kept of each name. */
const KEPT_RUNS = 200;

// The caller holds the job's lock, so a run that is still open has died.
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

interface RecordedRun {
  readonly id: string;
  /** Whether an earlier run of the same queued job had run. */
  readonly resumed: boolean;
}

/** Records the start of a run. The caller holds the job's lock. */
export async function beginRun(pool: Pool, { name, data, jobId, attempt }: RunStart): Promise<RecordedRun> {
  const { rows } = await pool.query<RecordedRun>(BEGIN, [
    name,
    KEPT_RUNS - 1,
    jobId,
    attempt,
    JSON.stringify(data),
    `${hostname()} ${process.pid}`,
  ]);
  const [run] = rows;
  if (run === undefined) throw new Error(`the run of ${name} was not recorded`);
  return run;
}

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

export interface RunSummary {
  readonly name: string;
  readonly startedAt: Date;
  /** Duration of the newest run, so far if it is running; null if it was lost. */
  readonly seconds: number | null;
  readonly outcome: Outcome | 'running';
  readonly result: JobResult | null;
  readonly error: string | null;
  /** Failed and lost runs since the last one that was done. */
  readonly failures: number;
}

// An open run without a lock has died, though no later run has recorded that yet.
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
