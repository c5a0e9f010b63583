-- Up Migration

-- A document reads the rows of one subject from some forty sources. Adjacent in the index, they cost one descent
-- instead of one a source.
drop index ingest.mirror_subject;
create index mirror_subject on ingest.mirror (subject, source, order_key, key);
alter table ingest.link drop constraint link_pkey, add primary key (subject, source, key);

-- Down Migration

alter table ingest.link drop constraint link_pkey, add primary key (source, subject, key);
drop index ingest.mirror_subject;
create index mirror_subject on ingest.mirror (source, subject, order_key, key);
