-- Up Migration

-- When a consumer first exchanged a code of the person; null if none has.
alter table taste.person add column exchanged_at timestamptz;
-- Exchanged codes are already deleted.
update taste.person set exchanged_at = seen_at;

-- Down Migration

alter table taste.person drop column exchanged_at;
