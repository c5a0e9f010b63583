-- Up Migration

-- Whether two versions are of one change that was sent with and without the commit before it: see compare-versions.ts.
create function ingest.is_repeated_otherwise(a text, b text) returns boolean language sql immutable parallel safe
return substr(a, 25, 17) = substr(b, 25, 17) and right(a, 1) = 's' and right(b, 1) = 's'
  and left(a, 8) = left(b, 8)
  and length(a) > 41 and length(a) = length(b) and substr(a, 42, 4) = substr(b, 42, 4)
  and (substr(a, 9, 16) = substr(a, 25, 16)) <> (substr(b, 9, 16) = substr(b, 25, 16));

-- By their offsets in one log, else by the times of their records.
create function ingest.compare_written(a text, b text) returns integer language sql immutable parallel safe
return case
  when ingest.is_same_log(a, b) and substr(a, 49, 12) <> substr(b, 49, 12)
    then case when substr(a, 49, 12) collate "C" < substr(b, 49, 12) then -1 else 1 end
  when not ingest.is_same_log(a, b) and substr(a, 61, 11) <> substr(b, 61, 11)
    then case when substr(a, 61, 11) collate "C" < substr(b, 61, 11) then -1 else 1 end
  else ingest.compare_core(a, b) end;

create or replace function ingest.compare_versions(a text, b text) returns integer language sql immutable parallel safe
return case
  when a is null or b is null then null
  when a = b then 0
  when ingest.is_repeated_otherwise(a, b) then ingest.compare_written(a, b)
  when not ingest.is_placed(a) and not ingest.is_placed(b)
    or left(a, 8) <> left(b, 8)
    or substr(a, 9, 16) = '0000000000000000' or substr(b, 9, 16) = '0000000000000000'
    then ingest.compare_core(a, b)
  else ingest.compare_delivery(a, b) end;

-- Down Migration

create or replace function ingest.compare_versions(a text, b text) returns integer language sql immutable parallel safe
return case
  when a is null or b is null then null
  when a = b then 0
  when not ingest.is_placed(a) and not ingest.is_placed(b)
    or left(a, 8) <> left(b, 8)
    or substr(a, 9, 16) = '0000000000000000' or substr(b, 9, 16) = '0000000000000000'
    then ingest.compare_core(a, b)
  else ingest.compare_delivery(a, b) end;
drop function ingest.compare_written, ingest.is_repeated_otherwise;
