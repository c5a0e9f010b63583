-- Up Migration

-- What background jobs did, wherever they ran. The queue forgets; this does not depend on where it is kept.
create table operation.job_run (
  id bigint generated always as identity primary key,
  name text not null,
  -- Of the queue; null where somebody ran it in their own process.
  job_id text,
  attempt integer not null,
  data jsonb not null,
  -- Host and process that ran it.
  process text not null,
  started_at timestamptz not null default now(),
  finished_at timestamptz,
  -- Null while it runs; lost where its process never said how it ended.
  outcome text check (outcome in ('done', 'failed', 'stopped', 'lost')),
  result jsonb,
  error text
);

create index job_run_name on operation.job_run (name, id);

-- Down Migration

drop table operation.job_run;
