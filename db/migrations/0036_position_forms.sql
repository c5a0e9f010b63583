-- Up Migration

-- Positions of MySQL and MariaDB (file and position of the log) and of MongoDB (place in the topic).
alter table ingest.record_count
  drop constraint record_count_form_check,
  add constraint record_count_form_check check (position_form in ('log', 'binlog', 'oplog', 'time'));

-- Down Migration

-- Loses the newest positions of the sources whose forms an earlier release does not know.
update ingest.record_count set newest_position = null, position_form = null, position_time = null
  where position_form in ('binlog', 'oplog');
alter table ingest.record_count
  drop constraint record_count_form_check,
  add constraint record_count_form_check check (position_form in ('log', 'time'));
