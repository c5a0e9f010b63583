-- Up Migration

-- A connector, by the server name that it writes into its records and heartbeats.
create table ingest.connector (
  name text primary key,
  newest_heartbeat_at timestamptz not null,
  -- The time between its heartbeats, stated or learnt; null until it is known.
  interval_ms bigint,
  -- The times between its newest heartbeats, from which the interval is learnt.
  heartbeat_gaps_ms bigint[] not null default '{}'
);

-- The connector that wrote the newest record of a source; null if none came through the log. No foreign key: a record may
-- come before the first heartbeat. The column newest_heartbeat_at is unused from here on, and goes with a later release.
alter table ingest.source add column connector text;

-- Known from the prefixes of topics: a quiet source sends no record that says it.
update ingest.source set connector = fed.name
from (
  select distinct on (source.id) source.id, left(topic, -length(source.name) - 1) as name
  from ingest.record_count join ingest.source on source.id = record_count.source
  where consumer_group not in ('snapshot', 'changes') and right(topic, length(source.name) + 1) = '.' || source.name
  order by source.id, recent_since desc nulls last, topic
) fed
where source.id = fed.id and connector is null;

insert into ingest.connector (name, newest_heartbeat_at)
select connector, max(newest_heartbeat_at) from ingest.source
where connector is not null and newest_heartbeat_at is not null group by connector
on conflict do nothing;

-- Down Migration

-- Loses which connector feeds which source; each is learnt again from the next record.
alter table ingest.source drop column connector;
drop table ingest.connector;
