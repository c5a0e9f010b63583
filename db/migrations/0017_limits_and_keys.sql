-- Up Migration

alter table access.api_key
  -- As it was told last: processes write it down once a minute.
  add column last_used_at timestamptz,
  -- The key that takes the place of this one, which goes on to open the service until it expires.
  add column replaced_by text references access.api_key (id) on delete set null;

-- Down Migration

alter table access.api_key
  drop column replaced_by,
  drop column last_used_at;
