-- Up Migration

-- Half-built versions are built again. Their tables are dropped like those of retired versions.
alter table projection.version
  drop constraint version_state_check,
  add constraint version_state_check check (state in ('building', 'ready', 'live', 'previous', 'retired')),
  -- The tables that its code reads, so that other code can mark its documents dirty; null if unknown.
  add column reads jsonb,
  add column promote_when_ready boolean not null default false,
  -- Documents to build; null until they are counted.
  add column planned integer,
  add column paused_at timestamptz,
  add column ready_at timestamptz,
  add column replaced_at timestamptz,
  -- Until then projectors drain it before the live version, which it will replace.
  add column favoured_until timestamptz,
  -- Its differences from the version that was live when it became ready.
  add column report jsonb;

update projection.version set state = 'retired' where state in ('building', 'ready');
delete from projection.mark where version not in (select id from projection.version);

create unique index version_building on projection.version (projection) where state = 'building';
create unique index version_ready on projection.version (projection) where state = 'ready';
create unique index version_previous on projection.version (projection) where state = 'previous';

-- The ranges that are still to be built. A builder deletes a row in the transaction that builds it, so the range of
-- a builder that died returns.
create table projection.build_range (
  version integer not null,
  range integer not null,
  size integer not null,
  keys text[] collate "C" not null,
  primary key (version, range)
);
-- Counting the remaining ranges then reads no keys.
alter table projection.build_range alter column keys set storage external;

-- Down Migration

drop table projection.build_range;

do $$
declare
  kept text;
begin
  for kept in
    select format('read.%I', replace(projection, '-', '_') || '_' || id)
    from projection.version where state <> 'live'
  loop
    execute format('drop table if exists %s, %s', kept, kept || '_address');
  end loop;
end $$;

delete from projection.mark where version in (select id from projection.version where state <> 'live');
delete from projection.version where state <> 'live';
drop index projection.version_building, projection.version_ready, projection.version_previous;
alter table projection.version
  drop constraint version_state_check,
  add constraint version_state_check check (state in ('building', 'ready', 'live')),
  drop column reads,
  drop column promote_when_ready,
  drop column planned,
  drop column paused_at,
  drop column ready_at,
  drop column replaced_at,
  drop column favoured_until,
  drop column report;
