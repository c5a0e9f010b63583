-- Up Migration

-- The id of a document in every version. Lookup keys and indexes carry it instead of the key.
create function projection.document_id(key text) returns uuid
  language sql stable strict parallel safe
  return encode(substr(sha256(convert_to(key, 'UTF8')), 1, 16), 'hex')::uuid;

-- Half-built versions are built again.
update projection.version set state = 'retired' where state = 'building';

-- Existing versions get the new form. Older code can neither read nor write them any more, so stop it first. Indexes on
-- a key go with the column. Each view is recreated with its owner and its grants.
do $$
declare
  version record;
  documents text;
  addresses text;
  view text;
  owner text;
  reader text;
  readers text[];
begin
  for version in
    select id, projection, 'read.' || replace(projection, '-', '_') as view, state = 'live' as is_live
    from projection.version
    where state <> 'retired'
  loop
    documents := version.view || '_' || version.id;
    addresses := documents || '_address';
    if version.is_live then
      select array_agg(distinct grantee::regrole::text) into readers
      from pg_class cross join lateral aclexplode(relacl) as granted
      where oid = version.view::regclass and privilege_type = 'SELECT' and grantee <> 0;
      select relowner::regrole::text into owner from pg_class where oid = version.view::regclass;
      execute format('drop view %s, %s_address', version.view, version.view);
    end if;
    execute format('alter table %s disable trigger user', documents);
    execute format('alter table %s add column id uuid', documents);
    execute format('update %s set id = projection.document_id(key)', documents);
    execute format('alter table %s drop constraint %s_pkey, add primary key (id)', documents, substr(documents, length('read.') + 1));
    execute format('alter table %s enable trigger user', documents);
    execute format('alter table %s add column document uuid', addresses);
    execute format('update %s set document = projection.document_id(key)', addresses);
    execute format('alter table %s alter column document set not null, drop column key', addresses);
    execute format('create unique index on %s (address, rank, support desc, document)', addresses);
    execute format('create index on %s (document)', addresses);
    if version.projection = 'mb-track' then
      execute format('create index on %s (support desc, address, document) where rank = 0 and support >= 16', addresses);
    end if;
    execute format('analyze %s, %s', documents, addresses);
    if version.is_live then
      execute format('create view %s as select id, key, hash, body from %s', version.view, documents);
      execute format('create view %s_address as select address, rank, support, document from %s', version.view, addresses);
      foreach view in array array[version.view, version.view || '_address'] loop
        execute format('alter view %s owner to %s', view, owner);
        foreach reader in array coalesce(readers, '{}') loop
          execute format('grant select on %s to %s', view, reader);
        end loop;
      end loop;
    end if;
  end loop;
end
$$;

-- Down Migration

do $$
declare
  version record;
  documents text;
  addresses text;
begin
  for version in
    select id, projection, 'read.' || replace(projection, '-', '_') as view, state = 'live' as is_live
    from projection.version
    where state not in ('building', 'retired')
  loop
    documents := version.view || '_' || version.id;
    addresses := documents || '_address';
    if version.is_live then
      execute format('drop view %s, %s_address', version.view, version.view);
    end if;
    execute format('alter table %s add column key text collate "C"', addresses);
    execute format('update %s entry set key = document.key from %s document where document.id = entry.document', addresses, documents);
    execute format('alter table %s alter column key set not null, drop column document', addresses);
    execute format('create unique index on %s (address, rank, support desc, key)', addresses);
    execute format('create index on %s (key)', addresses);
    if version.projection = 'mb-track' then
      execute format('create index on %s (support desc, address, key) where rank = 0 and support >= 16', addresses);
    end if;
    execute format('alter table %s drop column id, add primary key (key)', documents);
    if version.is_live then
      execute format('create view %s as select key, hash, body from %s', version.view, documents);
      execute format('create view %s_address as select address, rank, support, key from %s', version.view, addresses);
    end if;
  end loop;
end
$$;

drop function projection.document_id(text);

update projection.version set state = 'retired' where state = 'building';
