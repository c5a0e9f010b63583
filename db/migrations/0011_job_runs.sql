-- Up Migration

-- The runs of background jobs. A queue keeps only its newest.
create table operation.job_run (
  id bigint generated always as identity primary key,
  name text not null,
  -- The id in the queue; null for a run in an operator's process.
  job_id text,
  attempt integer not null,
  data jsonb not null,
  -- Host and process that ran it.
  process text not null,
  started_at timestamptz not null default now(),
  finished_at timestamptz,
  -- Null while it runs; `lost` if its process died.
  outcome text check (outcome in ('done', 'failed', 'stopped', 'lost')),
  result jsonb,
  error text
);

create index job_run_name on operation.job_run (name, id);

-- Down Migration

drop table operation.job_run;
