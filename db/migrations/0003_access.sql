-- Up Migration

create schema access;

create table access.api_key (
  id text primary key,
  environment text not null check (environment in ('live', 'test')),
  -- SHA-256 of the whole key; the key itself is shown once and never stored.
  digest bytea not null unique,
  label text not null,
  tier text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz
);

-- Down Migration

drop schema access cascade;
