-- Up Migration

-- Snapshot files that replace all rows of their source.
create table ingest.replacement (
  id integer generated always as identity primary key,
  -- The file, as its position names it. Up to that position the keys below are complete.
  topic text not null unique,
  -- A line had no readable key, so any row could be in the file.
  has_unread boolean not null default false,
  started_at timestamptz not null default now(),
  finished_at timestamptz
);

-- The keys of each file, until the rows that it lacks are removed.
create table ingest.replacement_key (
  -- An id of ingest.replacement; a foreign key would check it for every row.
  replacement integer not null,
  key text collate "C" not null,
  primary key (replacement, key)
);

-- Down Migration

drop table ingest.replacement, ingest.replacement_key;
