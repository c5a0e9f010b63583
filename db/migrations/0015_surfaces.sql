-- Up Migration

-- Surfaces that an operator has disabled. All others are enabled.
create table operation.surface_off (
  -- The surface; * disables all.
  name text primary key,
  since timestamptz not null default now(),
  actor text not null,
  reason text not null
);

-- Secrets that all processes share and no person needs.
create table access.secret (
  name text primary key,
  value bytea not null,
  made_at timestamptz not null default now()
);

-- Down Migration

drop table access.secret;
drop table operation.surface_off;
