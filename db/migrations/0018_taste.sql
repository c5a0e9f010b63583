-- Up Migration

create schema taste;

-- A person connects sources from one browser. There is no login: the browser's cookie identifies the person.
create table taste.person (
  id uuid primary key default gen_random_uuid(),
  -- SHA-256 of the cookie, which is not stored.
  digest bytea not null unique,
  created_at timestamptz not null default now(),
  seen_at timestamptz not null default now()
);

-- An account is imported while a consent to it stands. Another username is another account.
create table taste.account (
  id uuid primary key default gen_random_uuid(),
  person_id uuid not null references taste.person on delete cascade,
  service text not null check (service in ('scrobbler', 'catalog')),
  username text not null,
  connected_at timestamptz not null default now(),
  unique (person_id, service, username)
);

-- Every consent ever given, with the receipt of it.
create table taste.consent (
  receipt text primary key check (receipt like 'rcpt\_v1\_%'),
  person_id uuid not null references taste.person on delete cascade,
  -- Of the contract's consumers, by id.
  consumer text not null,
  service text not null check (service in ('scrobbler', 'catalog')),
  username text not null,
  -- The version of the contract whose words were consented to.
  contract text not null,
  granted_at timestamptz not null default now(),
  -- Also when a newer consent replaced it.
  withdrawn_at timestamptz
);

create unique index consent_live on taste.consent (person_id, consumer, service) where withdrawn_at is null;
create index consent_person on taste.consent (person_id);

create table taste.code (
  -- SHA-256 of the code, which is not stored.
  digest bytea primary key,
  person_id uuid not null references taste.person on delete cascade,
  consumer text not null,
  service text not null check (service in ('scrobbler', 'catalog')),
  minted_at timestamptz not null default now(),
  expires_at timestamptz not null,
  claimed_at timestamptz
);

create index code_person on taste.code (person_id);
create index code_expires on taste.code (expires_at);

create table taste.token (
  -- SHA-256 of the token, which is not stored.
  digest bytea primary key,
  person_id uuid not null references taste.person on delete cascade,
  consumer text not null,
  created_at timestamptz not null default now(),
  used_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz
);

-- None on the times, which every use moves.
create index token_person on taste.token (person_id, consumer);

create table taste.import (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references taste.account on delete cascade,
  state text not null default 'queued' check (state in ('queued', 'running', 'done', 'failed')),
  requested_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  -- The start of the next page.
  cursor jsonb,
  items integer not null default 0,
  matched integer not null default 0,
  -- Why it failed, as a code.
  failure text,
  attempt integer not null default 0
);

create index import_account on taste.import (account_id, requested_at);
-- A request during a waiting or running import refers to that import.
create unique index import_open on taste.import (account_id) where state in ('queued', 'running');

-- Down Migration

drop schema taste cascade;
