-- Up Migration

create schema telemetry;

-- Reports of clients on the results of their searches.
create table telemetry.search_event (
  search_event_id uuid not null,
  -- Served from a cache, or its filters changed.
  kind text not null check (kind in ('observed', 'refined')),
  -- By the clock of the client, which was near that of the service.
  occurred_at timestamptz not null,
  source text check ((source is not null) = (kind = 'observed')),
  changed_facets jsonb check ((changed_facets is not null) = (kind = 'refined')),
  received_at timestamptz not null default now()
);

-- Repeated events change nothing.
create unique index search_event_observed on telemetry.search_event (search_event_id) where kind = 'observed';
-- Several changes may fall into one tick of the client's clock.
create unique index search_event_refined
  on telemetry.search_event (search_event_id, occurred_at, jsonb_hash_extended(changed_facets, 0))
  where kind = 'refined';

create index search_event_received on telemetry.search_event (received_at);

-- Down Migration

drop schema telemetry cascade;
