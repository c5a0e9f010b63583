-- Up Migration

-- The order of versions, as workers/ingest/decode/compare-versions.ts has it; a test compares the two. Written so that
-- the planner inlines them: they run for every row that a batch updates.

create function ingest.is_placed(version text) returns boolean language sql immutable parallel safe
return case when length(version) > 41 then right(version, 1) = 'r'
  else substr(version, 9, 16) = substr(version, 25, 16) end;

-- -1, 0 or 1. The epoch, commit, position and rank; of the same change, the one that says where it was read is newer.
create function ingest.compare_core(a text, b text) returns integer language sql immutable parallel safe
return case
  when left(a, 41) collate "C" < left(b, 41) then -1
  when left(a, 41) collate "C" > left(b, 41) then 1
  else sign(length(a) - length(b))::integer end;

create function ingest.version_time(version text) returns bigint language sql immutable parallel safe
return ('x' || substr(version, 61, 11))::bit(44)::bigint;

create function ingest.newest_position(version text) returns text language sql immutable parallel safe
return greatest(substr(version, 9, 16) collate "C", substr(version, 25, 16));

-- Whether two versions are of offsets of one log, and not of a topic that was recreated in between.
create function ingest.is_same_log(a text, b text) returns boolean language sql immutable parallel safe
return case when length(a) > 41 and length(a) = length(b) and substr(a, 42, 7) = substr(b, 42, 7) then
  ingest.version_time(a) = 0 or ingest.version_time(b) = 0
    or abs(ingest.version_time(a) - ingest.version_time(b)) <= 60000
    or substr(a, 49, 12) = substr(b, 49, 12)
    or (substr(a, 49, 12) collate "C" < substr(b, 49, 12)) = (ingest.version_time(a) < ingest.version_time(b))
  else false end;

-- Of two versions of which at least one is of a row of a snapshot, in one epoch.
create function ingest.compare_delivery(a text, b text) returns integer language sql immutable parallel safe
return case
  when ingest.is_same_log(a, b) then
    case when substr(a, 49, 12) collate "C" < substr(b, 49, 12) then -1
      when substr(a, 49, 12) collate "C" > substr(b, 49, 12) then 1
      when left(a, 41) collate "C" < left(b, 41) then -1
      when left(a, 41) collate "C" > left(b, 41) then 1
      else 0 end
  when length(a) > 41 and length(a) = length(b) and substr(a, 42, 4) = substr(b, 42, 4)
    and substr(a, 61, 11) <> substr(b, 61, 11)
    then case when substr(a, 61, 11) collate "C" < substr(b, 61, 11) then -1 else 1 end
  when not ingest.is_placed(a) and ingest.newest_position(a) collate "C" >= ingest.newest_position(b) then 1
  when not ingest.is_placed(b) and ingest.newest_position(b) collate "C" >= ingest.newest_position(a) then -1
  when ingest.is_placed(a) = ingest.is_placed(b) then ingest.compare_core(a, b)
  when ingest.is_placed(a) then 1
  else -1 end;

-- Negative if the first is older, 0 if both are of the same change, null if one is null.
create function ingest.compare_versions(a text, b text) returns integer language sql immutable parallel safe
return case
  when a is null or b is null then null
  when a = b then 0
  when not ingest.is_placed(a) and not ingest.is_placed(b)
    or left(a, 8) <> left(b, 8)
    or substr(a, 9, 16) = '0000000000000000' or substr(b, 9, 16) = '0000000000000000'
    then ingest.compare_core(a, b)
  else ingest.compare_delivery(a, b) end;

-- Down Migration

drop function ingest.compare_versions, ingest.compare_delivery, ingest.is_same_log, ingest.newest_position,
  ingest.version_time, ingest.compare_core, ingest.is_placed;
