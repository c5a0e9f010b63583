-- Up Migration

-- Surfaces that an operator has switched off; one that is not here is on.
create table operation.surface_off (
  -- Of the surface; * is the switch over all of them.
  name text primary key,
  since timestamptz not null default now(),
  actor text not null,
  reason text not null
);

-- Secrets that nobody has to know, but all processes have to share.
create table access.secret (
  name text primary key,
  value bytea not null,
  made_at timestamptz not null default now()
);

-- Down Migration

drop table access.secret;
drop table operation.surface_off;
