-- Up Migration

-- How the records of each partition ended, by source. A batch adds to it in its transaction, so it adds up at any time.
create table ingest.record_count (
  -- Files count together under their name.
  consumer_group text not null,
  topic text not null,
  partition integer not null,
  -- An id of ingest.source; 0 for records of no source, such as heartbeats.
  source smallint not null,
  read bigint not null,
  applied bigint not null,
  older bigint not null,
  equal bigint not null,
  dead_letters bigint not null,
  ignored bigint not null,
  -- Of the last hour in which records came through the log.
  recent_since timestamptz,
  recent_read bigint,
  recent_older bigint,
  -- The newest log position applied, after its source's epoch (8 hex digits), and the time of its change. A position far
  -- ahead of it, or of another form, is not applied.
  newest_position text collate "C",
  position_form text,
  position_time timestamptz,
  primary key (consumer_group, topic, partition, source),
  constraint record_count_sum check (read = applied + older + equal + dead_letters + ignored),
  constraint record_count_form_check check (position_form in ('log', 'time'))
) with (fillfactor = 50);

create index record_count_source on ingest.record_count (source);

alter table ingest.dead_letter
  drop constraint dead_letter_class_check,
  add constraint dead_letter_class_check
    check (class in ('unknown-source', 'undecodable', 'contract', 'incomplete', 'implausible')) not valid;

-- Down Migration

-- Loses the counts, and why implausible dead letters are dead letters.
update ingest.dead_letter set class = 'undecodable' where class = 'implausible';
alter table ingest.dead_letter
  drop constraint dead_letter_class_check,
  add constraint dead_letter_class_check check (class in ('unknown-source', 'undecodable', 'contract', 'incomplete'));
drop table ingest.record_count;
