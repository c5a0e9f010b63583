-- Up Migration

create schema published;

-- The result of one run of an index job.
create table published.snapshot (
  id integer generated always as identity primary key,
  index text not null,
  -- The day it was computed for; for an index of no day, the day of publication.
  day date not null,
  -- Identifies its code and rows, to avoid computing it again.
  inputs text,
  published_at timestamptz not null default now()
);

create index snapshot_index on published.snapshot (index, id);

-- The snapshot of each index that is served. Moved in the transaction that wrote its entries.
create table published.live (
  index text primary key,
  snapshot integer not null references published.snapshot
);

-- Written and deleted only together with their snapshot, so no foreign key checks each.
create table published.entry (
  snapshot integer not null,
  -- The list within the index. Places count over all lists.
  list text collate "C" not null,
  place integer not null,
  -- The cluster id of the entry.
  key text collate "C" not null,
  body json not null,
  primary key (snapshot, list, place)
);

create unique index entry_key on published.entry (snapshot, list, key);

-- Down Migration

drop schema published cascade;
