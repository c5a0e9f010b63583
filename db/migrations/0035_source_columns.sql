-- Up Migration

-- The columns of each source as its newest records have them, and those that it had before.
create table ingest.source_column (
  source smallint not null,
  name text collate "C" not null,
  -- Its place among the columns that were sent with it.
  ordinal smallint not null,
  -- The type in the schema of the messages, or JSON and the kind of its values. Null while only nulls were sent.
  type text,
  -- The type before it changed last.
  type_before text,
  -- Whether the decoder of its contract reads values of the type.
  is_readable boolean not null default true,
  first_seen_at timestamptz not null,
  -- When the first record without it was written; null while it is sent.
  dropped_at timestamptz,
  -- The column that may have its values under another name.
  renamed_to text,
  -- When the first record was rejected because of its change.
  failed_at timestamptz,
  -- When an operator removed its last values from the rows.
  cleared_at timestamptz,
  acknowledged_at timestamptz,
  primary key (source, name)
);

create table ingest.column_change (
  id bigint generated always as identity primary key,
  source smallint not null,
  name text not null,
  kind text not null,
  -- Types, or the other name of a column that may have been renamed.
  before text,
  after text,
  -- When the first record with it was written, and when it was read.
  changed_at timestamptz not null,
  noticed_at timestamptz not null default now(),
  constraint column_change_kind_check check (kind in ('added', 'dropped', 'renamed', 'type_changed'))
);

create index column_change_source on ingest.column_change (source, id);

-- Epoch and log position of the record that the columns were last written from; older records change nothing.
alter table ingest.source add column columns_position text collate "C";

-- Down Migration

-- Loses which columns were dropped, and with them that their last values are stale.
alter table ingest.source drop column columns_position;
drop table ingest.column_change;
drop table ingest.source_column;
