-- Up Migration

-- An import does not continue before this. The one that has waited longest comes first.
alter table taste.import add column due_at timestamptz not null default clock_timestamp();

create index import_due on taste.import (due_at) where state in ('queued', 'running');

-- An artist of an account, as its service names it, once each. Counts and dates are not stored.
create table taste.item (
  account_id uuid not null references taste.account on delete cascade,
  key text collate "C" not null,
  name text not null,
  mbid text,
  catalog_artist_id bigint,
  -- The last import that contained it. A complete import deletes the items it did not contain.
  import_id uuid not null,
  primary key (account_id, key)
);

-- The clusters of an account's items, by the most certain match.
create table taste.match (
  account_id uuid not null references taste.account on delete cascade,
  cluster_id text collate "C" not null,
  via text not null check (via in ('mbid', 'catalog', 'name')),
  primary key (account_id, cluster_id)
);

-- When any worker may send the next request to a service.
create table taste.upstream (
  service text primary key,
  free_at timestamptz not null
);

-- The identities that all accounts were last matched against.
create table taste.matched (
  only_row boolean primary key default true check (only_row),
  inputs text not null,
  matched_at timestamptz not null default now()
);

create function taste.announce_import() returns trigger language plpgsql as $$
begin
  perform pg_notify('taste.import', '');
  return null;
end $$;

create trigger announce_import after insert on taste.import
  for each statement execute function taste.announce_import();

-- Down Migration

drop trigger announce_import on taste.import;
drop function taste.announce_import();
drop table taste.matched;
drop table taste.upstream;
drop table taste.match;
drop table taste.item;
drop index taste.import_due;
alter table taste.import drop column due_at;
