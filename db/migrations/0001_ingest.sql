-- Up Migration

create schema ingest;

-- One row a producer table; ids keep the mirror's indexes narrow.
create table ingest.source (
  id smallint generated always as identity primary key,
  name text not null unique,
  -- An operator raises it when the log positions of a source start over.
  epoch integer not null default 0,
  -- Version of the newest truncate. Older rows are gone.
  truncated_version text collate "C",
  first_change_at timestamptz,
  newest_change_at timestamptz,
  newest_heartbeat_at timestamptz
);

-- The newest accepted row of every source, by key.
create table ingest.mirror (
  -- An id of ingest.source, which never deletes one; a foreign key would check it for every row.
  source smallint not null,
  key text collate "C" not null,
  subject text collate "C" not null,
  order_key text collate "C" not null,
  -- Canonical JSON as text (jsonb costs nearly half the write rate); null marks a deleted key.
  row text,
  version text collate "C" not null,
  -- When the producer made the newest change, and the newest that altered the row's content.
  source_time timestamptz not null,
  changed_time timestamptz not null,
  applied_at timestamptz not null default now(),
  primary key (source, key)
) with (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.05);

-- Not partial: an index on row would keep an update of it from staying in its page.
create index mirror_subject on ingest.mirror (source, subject, order_key, key);

-- Further subjects of a mirror row, as kind:value, for sources that declare them.
create table ingest.link (
  source smallint not null,
  subject text collate "C" not null,
  key text collate "C" not null,
  primary key (source, subject, key)
);

create index link_row on ingest.link (source, key);

-- Positions of consumer groups. A batch moves its position by compare-and-set in its transaction.
create table ingest.position (
  consumer_group text not null,
  topic text not null,
  partition integer not null,
  next_offset bigint not null,
  moved_at timestamptz not null default now(),
  primary key (consumer_group, topic, partition)
);

create table ingest.dead_letter (
  id bigint generated always as identity primary key,
  -- Null if the topic or file names no source.
  source smallint references ingest.source,
  topic text not null,
  partition integer not null,
  record_offset bigint not null,
  key text,
  payload text,
  headers jsonb not null,
  violations jsonb not null,
  recorded_at timestamptz not null default now(),
  -- The same record read twice is one dead letter.
  unique (topic, partition, record_offset)
);

-- Down Migration

drop schema ingest cascade;
