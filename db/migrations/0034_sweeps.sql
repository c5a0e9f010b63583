-- Up Migration

-- What connectors report of their snapshots: each start, and each table that was read whole.
create table ingest.snapshot_notice (
  consumer_group text not null,
  topic text not null,
  partition integer not null,
  record_offset bigint not null,
  -- The time of the record.
  noted_at timestamptz not null,
  -- The server name of the connector.
  connector text not null,
  -- The table that was read, and its rows then; null for the start of a snapshot.
  table_name text,
  row_count bigint,
  primary key (consumer_group, topic, partition, record_offset, noted_at)
);

create index snapshot_notice_connector on ingest.snapshot_notice (consumer_group, connector, noted_at);

-- Snapshots of tables that have ended, and what became of the stored rows that they lack.
create table ingest.sweep (
  id integer generated always as identity primary key,
  source smallint not null,
  consumer_group text not null,
  topic text not null,
  connector text not null,
  -- The version of the snapshot's last row. Its rows have the same position and time.
  version text collate "C" not null,
  -- The producer's time of the snapshot; null if the table was empty.
  snapshot_time timestamptz,
  -- The time of the record that ended it.
  ended_at timestamptz not null,
  noted_at timestamptz not null default now(),
  -- The ends of the logs some time later, as [{topic, partition, end}]; null until they are known.
  log_ends jsonb,
  state text not null default 'waiting',
  -- Rows of the table here, and those that the snapshot lacks; null before they were counted.
  stored bigint,
  missing bigint,
  removed bigint not null default 0,
  -- Why it is blocked, or ended without removing rows.
  reason text,
  settled_at timestamptz,
  constraint sweep_state_check check (state in ('waiting', 'blocked', 'done', 'dismissed')),
  unique (consumer_group, topic, version)
);

create index sweep_open on ingest.sweep (source) where state in ('waiting', 'blocked');

-- Down Migration

drop table ingest.sweep, ingest.snapshot_notice;
