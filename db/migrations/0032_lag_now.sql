-- Up Migration

-- When the oldest record that a worker knows of and has not applied was written to the log; null at the end of the log.
alter table ingest.position add column unread_since timestamptz;

-- The greatest lags of each source in periods of five minutes; an hour later their places are used again. No foreign key:
-- every batch writes here.
create table ingest.lag_peak (
  source smallint not null,
  slot smallint not null,
  since timestamptz not null,
  connector_ms bigint not null,
  kafka_ms bigint not null,
  apply_ms bigint not null,
  primary key (source, slot)
) with (fillfactor = 50);

-- Down Migration

drop table ingest.lag_peak;
alter table ingest.position drop column unread_since;
