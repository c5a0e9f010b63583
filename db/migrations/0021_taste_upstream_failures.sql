-- Up Migration

-- Whether a service fails whoever asks it. Told by imports that failed one after another, with none answered between; one
-- that fails again and again by itself counts once, for it may be at fault itself.
alter table taste.upstream
  add column failures integer not null default 0,
  -- The import that failed last.
  add column failing_import uuid,
  add column failure text,
  add column failing_since timestamptz;

-- What told cheaply that nothing could have changed, and when everything was last looked at nevertheless.
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
