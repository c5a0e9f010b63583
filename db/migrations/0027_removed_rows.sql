-- Up Migration

-- Rows that a replacing file lacked, for the seven days in which the removal can be undone.
create table ingest.removed_row (
  -- An id of ingest.replacement; a foreign key would check it for every row.
  replacement integer not null,
  source smallint not null,
  key text collate "C" not null,
  subject text collate "C" not null,
  order_key text collate "C" not null,
  row text not null,
  version text collate "C" not null,
  -- The version of its removal: while the mirror has it, nothing has happened to the row since.
  removed_version text collate "C" not null,
  source_time timestamptz not null,
  changed_time timestamptz not null,
  removed_at timestamptz not null default now(),
  primary key (replacement, key)
);

create index removed_row_age on ingest.removed_row (removed_at);

-- Down Migration

-- Loses the rows that could be restored.
drop table ingest.removed_row;
