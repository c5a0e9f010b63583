-- Up Migration

-- Rows of this table concern their master too. Earlier rows lack that link.
insert into ingest.link (source, subject, key)
select mirror.source, 'master:' || (mirror.row::jsonb ->> 'master_id'), mirror.key
from ingest.mirror join ingest.source on source.id = mirror.source
where source.name = 'seen.master_propagation_timeline_cluster' and mirror.row is not null
on conflict do nothing;

-- Down Migration

delete from ingest.link using ingest.source
where source.id = link.source and source.name = 'seen.master_propagation_timeline_cluster';
