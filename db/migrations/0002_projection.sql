-- Up Migration

-- Finds similar names.
create extension if not exists pg_trgm with schema public;

create schema projection;
create schema read;

-- Each projection has versions with tables of their own, read.<projection>_<id>.
create table projection.version (
  id integer generated always as identity primary key,
  projection text not null,
  state text not null check (state in ('building', 'ready', 'live')),
  -- A hash of the code and contracts that built it. Another one requires a rebuild.
  fingerprint text not null,
  created_at timestamptz not null default now(),
  promoted_at timestamptz
);

create unique index version_live on projection.version (projection) where state = 'live';

-- Append-only: a document of that version may differ from its sources. Cleared by the projector that
-- wrote the document, in the same transaction and by id, so that a later mark is never lost.
-- Neither a primary key nor a foreign key: marks come and go by the thousand, and the one index below finds them all.
create table projection.mark (
  id bigint generated always as identity,
  version integer not null,
  bucket smallint not null,
  key text collate "C" not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

create index mark_bucket on projection.mark (version, bucket, id);

-- Down Migration

drop schema read cascade;
drop schema projection cascade;
