-- Up Migration

-- Snapshot files that are to take the place of all rows of their source.
create table ingest.replacement (
  id integer generated always as identity primary key,
  -- The file, as its position names it; up to there, the keys below are all that it holds.
  topic text not null unique,
  -- A line did not tell its key, so that of no row can be said that the file lacks it.
  has_unread boolean not null default false,
  started_at timestamptz not null default now(),
  finished_at timestamptz
);

-- The keys of each file, until the rows that it lacks are removed.
create table ingest.replacement_key (
  -- An id of ingest.replacement; a foreign key would look it up for every row.
  replacement integer not null,
  key text collate "C" not null,
  primary key (replacement, key)
);

-- Down Migration

drop table ingest.replacement, ingest.replacement_key;
