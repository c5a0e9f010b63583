-- Up Migration

-- A batch marks documents by the thousand; a row of many keys costs one index entry instead of one a key.
alter table projection.mark add column keys text[] collate "C";
update projection.mark set keys = array[key];
alter table projection.mark alter column keys set not null, drop column key;
-- Rows up to a page are neither compressed nor moved out of line.
alter table projection.mark alter column keys set storage external, set (toast_tuple_target = 8160);

-- Down Migration

alter table projection.mark add column key text collate "C";
insert into projection.mark (version, bucket, key, keys) select version, bucket, unnest(keys), keys from projection.mark;
delete from projection.mark where key is null;
alter table projection.mark alter column key set not null, drop column keys;
