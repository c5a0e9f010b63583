-- Up Migration

create schema published;

-- An index that is computed whole: what one run of its job found.
create table published.snapshot (
  id integer generated always as identity primary key,
  index text not null,
  -- The day it was computed for, or on which it was published where no day decides it.
  day date not null,
  -- Identifies the code and the rows it was computed from, where that spares computing it again.
  inputs text,
  published_at timestamptz not null default now()
);

create index snapshot_index on published.snapshot (index, id);

-- The snapshot of each index that is served. Moved in the transaction that wrote its entries.
create table published.live (
  index text primary key,
  snapshot integer not null references published.snapshot
);

-- Written and removed with their snapshot and by nobody else, so that no foreign key has to look it up for each.
create table published.entry (
  snapshot integer not null,
  -- Which of the lists of the index; an entry has its place among those of all lists.
  list text collate "C" not null,
  place integer not null,
  -- What the entry is about: a cluster id.
  key text collate "C" not null,
  body json not null,
  primary key (snapshot, list, place)
);

create unique index entry_key on published.entry (snapshot, list, key);

-- Down Migration

drop schema published cascade;
