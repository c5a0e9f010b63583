-- Up Migration

-- Read models declare a version now; before, the text of their source was hashed. `fingerprint` stays, empty for new
-- versions, because processes of the release before read it: they keep their own documents current, ignore those of
-- new versions, and need not be stopped first. Going back to that release rebuilds nothing either. It goes with a
-- later migration. To code that reads this column, a version that such a process begins meanwhile is of other code.
alter table projection.version
  -- The version that the read model declares, and a hash of its settings where any is not the default.
  add column code_version text not null default '',
  alter column fingerprint set default '';

-- A database of the release before has documents of that release's code, and read models begin with version 1. That
-- code built the newest version, not always the live one: after a rollback, or before a promotion, the live version is
-- older and stays one of other code. Documents of another release, or with COVERARCHIVE_URL set, are rebuilt once.
update projection.version version set code_version = case
  when fingerprint = (
    select newest.fingerprint from projection.version newest
    where newest.projection = version.projection and newest.state <> 'retired' order by newest.id desc limit 1)
  then '1' else fingerprint end;

-- The first word identifies the matching code. Snapshots of published indexes contain their code only inside a hash, so
-- each index is computed once more.
update taste.matched
set inputs = regexp_replace(inputs, '^\S+', '1'), sign = regexp_replace(sign, '^\S+', '1');

-- Down Migration

-- To the release before, versions begun since are of other code.
update projection.version set fingerprint = 'code version ' || code_version where fingerprint = '';
alter table projection.version
  drop column code_version,
  alter column fingerprint drop default;
