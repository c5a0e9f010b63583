-- Up Migration

-- The newest transactions of producers' databases in each partition, for readers that know their transaction or its log
-- position and not the offset in Kafka. A batch writes it in its transaction.
create table ingest.recent_transaction (
  consumer_group text not null,
  topic text not null,
  partition integer not null,
  -- An id of ingest.source.
  source smallint not null,
  epoch integer not null,
  -- The newest commit before the last change: every transaction committed up to it came before.
  newest_commit pg_lsn,
  -- Newest first: id, position and offset of each transaction's last change.
  ids bigint[] not null,
  positions pg_lsn[] not null,
  offsets bigint[] not null,
  moved_at timestamptz not null,
  primary key (consumer_group, topic, partition, source)
) with (fillfactor = 50);

create index recent_transaction_source on ingest.recent_transaction (source);

-- Down Migration

drop table ingest.recent_transaction;
