-- Up Migration

-- Rows whose key has changed, as they were last under their old key. The record of the new key may lack values that the
-- update did not touch, and may be read later.
create table ingest.moved_row (
  source smallint not null,
  -- The old key.
  key text collate "C" not null,
  -- Epoch, commit and position of the update, which its two records share.
  position text collate "C" not null,
  row text not null,
  moved_at timestamptz not null default now(),
  primary key (source, key, position)
);

create index moved_row_age on ingest.moved_row (moved_at);

-- Down Migration

drop table ingest.moved_row;
