-- Up Migration

alter table ingest.dead_letter
  drop constraint dead_letter_topic_partition_record_offset_key,
  alter column key type text collate "C",
  -- Bytes, so that a record that is not text can be replayed unchanged.
  alter column payload type bytea using convert_to(payload, 'UTF8'),
  -- Unlike jsonb, json holds U+0000.
  alter column headers type json,
  -- The topic that a record from a file names.
  add column record_topic text,
  add column record_key bytea,
  add column record_time timestamptz,
  -- When the snapshot that contains the record was taken.
  add column snapshot_time timestamptz,
  -- The producer table that the topic or the file names; null if it is unknown.
  add column table_name text,
  add column class text,
  -- In the mirror's form, like the key above. Null if it was unreadable.
  add column version text collate "C",
  -- The source's epoch when the record was read.
  add column epoch integer not null default 0,
  add column state text not null default 'open',
  add column settled_at timestamptz,
  add column settled_by text,
  add column reason text;

update ingest.dead_letter set
  table_name = (select name from ingest.source where id = dead_letter.source),
  -- Unreadable keys were stored as received.
  record_key = case when key like '{%' then convert_to(key, 'UTF8') end,
  key = case when key not like '{%' then key end,
  class = case
    when source is null then 'unknown-source'
    when violations @> '[{"reason": "unavailable"}]' then 'incomplete'
    when jsonb_path_exists(violations, '$[*] ? (@.reason == "not_an_envelope" || @.reason == "not_a_row"
      || @.reason == "unknown_op" || @.reason == "missing" && (@.field == "op" || @.field == "after" || @.field == "key"))')
      then 'undecodable'
    else 'contract' end;

alter table ingest.dead_letter
  alter column class set not null,
  add constraint dead_letter_class_check check (class in ('unknown-source', 'undecodable', 'contract', 'incomplete')),
  add constraint dead_letter_state_check check (state in ('open', 'replayed', 'superseded', 'discarded')),
  add constraint dead_letter_settled_check check ((state = 'open') = (settled_at is null)),
  -- The same record read twice is one dead letter; a recreated topic starts its offsets over.
  add constraint dead_letter_record_key unique nulls not distinct (topic, partition, record_offset, record_time);

create index dead_letter_open on ingest.dead_letter (source, key) where state = 'open';
create index dead_letter_settled on ingest.dead_letter (settled_at) where state <> 'open';

-- Down Migration

create function pg_temp.readable(bytes bytea) returns text language plpgsql as $$
begin
  return convert_from(bytes, 'UTF8');
exception when others then
  return encode(bytes, 'escape');
end $$;

create function pg_temp.storable(headers json) returns jsonb language plpgsql as $$
begin
  return headers::jsonb;
exception when others then
  return '{}';
end $$;

delete from ingest.dead_letter later using ingest.dead_letter earlier
where later.topic = earlier.topic and later.partition = earlier.partition
  and later.record_offset = earlier.record_offset and later.id > earlier.id;

update ingest.dead_letter set key = pg_temp.readable(record_key) where key is null;

alter table ingest.dead_letter
  drop constraint dead_letter_record_key,
  drop column record_topic,
  drop column record_key,
  drop column record_time,
  drop column snapshot_time,
  drop column table_name,
  drop column class,
  drop column version,
  drop column epoch,
  drop column state,
  drop column settled_at,
  drop column settled_by,
  drop column reason,
  alter column key type text collate "default",
  alter column payload type text using pg_temp.readable(payload),
  alter column headers type jsonb using pg_temp.storable(headers),
  add constraint dead_letter_topic_partition_record_offset_key unique (topic, partition, record_offset);
