-- Up Migration

alter table access.api_key
  -- Processes write it once a minute.
  add column last_used_at timestamptz,
  -- The key that replaces this one. This one stays valid until it expires.
  add column replaced_by text references access.api_key (id) on delete set null;

-- Down Migration

alter table access.api_key
  drop column replaced_by,
  drop column last_used_at;
