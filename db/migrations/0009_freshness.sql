-- Up Migration

-- The greatest lags of a span of time that began at lag_since, by stage: from the producer's commit to the log, from
-- the log to the reader, from the reader to the mirror.
alter table ingest.source
  add column connector_lag_ms bigint,
  add column kafka_lag_ms bigint,
  add column apply_lag_ms bigint,
  add column lag_since timestamptz;

alter table projection.mark add column marked_at timestamptz not null default now();

-- Finds a log position of any group.
create index position_place on ingest.position (topic, partition);

-- Down Migration

drop index ingest.position_place;
alter table projection.mark drop column marked_at;
alter table ingest.source
  drop column connector_lag_ms, drop column kafka_lag_ms, drop column apply_lag_ms, drop column lag_since;
