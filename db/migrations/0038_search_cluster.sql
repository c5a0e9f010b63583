-- Up Migration

-- Generations in a search cluster take changes after they were built. All three are null for generations in tables.
alter table search.generation
  -- The snapshot whose changes are all visible in the cluster.
  add column applied_snapshot pg_snapshot,
  add column applied_at timestamptz,
  -- The highest change that was sent; identifies the state of the documents.
  add column applied_change bigint;

-- Down Migration

-- Releases before this one neither read nor drop generations in a search cluster.
delete from search.generation where applied_snapshot is not null;
alter table search.generation
  drop column applied_snapshot,
  drop column applied_at,
  drop column applied_change;
