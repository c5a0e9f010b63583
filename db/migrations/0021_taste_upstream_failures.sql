-- Up Migration

-- Whether a service fails for all requests: imports that failed in a row, without a success between. An import that
-- fails repeatedly counts once, because it may be at fault itself.
alter table taste.upstream
  add column failures integer not null default 0,
  -- The import that failed last.
  add column failing_import uuid,
  add column failure text,
  add column failing_since timestamptz;

-- A cheap sign that nothing changed, and the time of the last full check.
alter table taste.matched
  add column sign text,
  add column looked_at timestamptz;

-- Down Migration

alter table taste.matched
  drop column looked_at,
  drop column sign;
alter table taste.upstream
  drop column failing_since,
  drop column failure,
  drop column failing_import,
  drop column failures;
