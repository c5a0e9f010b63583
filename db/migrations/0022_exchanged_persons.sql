-- Up Migration

-- When a consumer first came to know them, by exchanging a code; null for those whom none has.
alter table taste.person add column exchanged_at timestamptz;
-- Codes that were exchanged are no longer there to tell.
update taste.person set exchanged_at = seen_at;

-- Down Migration

alter table taste.person drop column exchanged_at;
