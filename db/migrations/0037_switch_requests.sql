-- Up Migration

alter table projection.version
  -- A process is making this version live. Null without one.
  add column switch_requested_at timestamptz,
  -- Until then projectors write the live version only together with this one. The process extends it.
  add column switch_until timestamptz;

-- A commit with a notification takes a lock of the whole server, so writers notify after their commit. Imports that the
-- release before queues are found by the schedule of the job.
drop trigger announce_import on taste.import;
drop function taste.announce_import();

-- Down Migration

create function taste.announce_import() returns trigger language plpgsql as $$
begin
  perform pg_notify('taste.import', '');
  return null;
end $$;

create trigger announce_import after insert on taste.import
  for each statement execute function taste.announce_import();

alter table projection.version
  drop column switch_requested_at,
  drop column switch_until;
