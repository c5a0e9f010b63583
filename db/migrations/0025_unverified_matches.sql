-- Up Migration

-- Accounts are matched again by the new code; a match by an unverified name is recognisable.
alter table taste.match
  drop constraint match_via_check,
  add constraint match_via_check check (via in ('mbid', 'catalog', 'name', 'unverified_name')) not valid;

-- Down Migration

-- Removes these matches, which the release before cannot find again.
delete from taste.match where via = 'unverified_name';
alter table taste.match
  drop constraint match_via_check,
  add constraint match_via_check check (via in ('mbid', 'catalog', 'name'));
