-- Up Migration

create schema search;

-- Indexes of all release groups as they were at one moment. Each has tables of its own, search.row_<id> and so on.
create table search.generation (
  id integer generated always as identity primary key,
  -- The version of the search projection that it is made of.
  version integer not null,
  -- The format of the code that built it; other code may not read it.
  format smallint not null,
  state text not null default 'building' check (state in ('building', 'ready', 'retired')),
  -- The snapshot that its documents were read in.
  snapshot pg_snapshot,
  taken_at timestamptz,
  documents integer,
  -- Upper bits of a hash, which give its bucket.
  exact_bits smallint,
  ready_at timestamptz,
  retired_at timestamptz,
  constraint generation_ready_check
    check (state <> 'ready' or num_nulls(snapshot, taken_at, documents, exact_bits, ready_at) = 0)
);

-- The documents that changed, by transaction: a generation does not contain them yet. Rows are only ever added and deleted.
create table search.change (
  id bigint generated always as identity,
  version integer not null,
  xid xid8 not null default pg_current_xact_id(),
  keys text[] collate "C" not null,
  -- The number of keys, for counting.
  size integer not null,
  changed_at timestamptz not null default now()
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

create index change_since on search.change (version, xid);

-- Building versions are not read, and the first generation of a version contains all its documents.
create function search.note_changes() returns trigger language plpgsql as $$
begin
  if exists (select from projection.version where id = tg_argv[0]::integer and state <> 'building') then
    insert into search.change (version, keys, size)
    select tg_argv[0]::integer, array_agg(key), count(*) from changed having count(*) > 0;
  end if;
  return null;
end
$$;

-- Down Migration

-- With the triggers of the documents and the tables of the generations.
drop schema search cascade;
