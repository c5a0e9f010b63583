import type { ClientBase } from 'pg';
import { byteaArray, int2Array, int4Array, textArray, uuidArray } from '../../../db/arrays.ts';
import type { Document, ProjectedDocument } from '../projection.ts';
import type { SubjectRef } from '../rows.ts';
import { documentId } from './document-id.ts';
import { documentTable, lookupTable, type Version } from './version.ts';

/** What a batch did to the stored documents. */
export interface WriteResult {
  readonly changed: number;
  readonly unchanged: number;
  readonly removed: number;
}

export const NO_WRITES: WriteResult = { changed: 0, unchanged: 0, removed: 0 };

export const addResults = (one: WriteResult, other: WriteResult): WriteResult => ({
  changed: one.changed + other.changed,
  unchanged: one.unchanged + other.unchanged,
  removed: one.removed + other.removed,
});

/** A projected document with its id, to be written to any number of versions. */
export interface IdentifiedProjected {
  readonly id: Buffer;
  readonly key: SubjectRef;
  readonly document: Document | null;
}

/** Prepares a projected document, so that its id and body are computed once for all versions. */
export const withId = ({ key, document }: ProjectedDocument): IdentifiedProjected => ({
  id: documentId(key),
  key,
  document: document && memoizeBody(document),
});

function memoizeBody(document: Document): Document {
  let encoded: Buffer | null = null;
  return {
    ...document,
    body() {
      encoded ??= document.body();
      return encoded;
    },
  };
}

/** Makes the stored documents equal to the projected ones. It neither compresses nor writes an equal document. */
export async function writeDocuments(
  client: ClientBase,
  version: Version,
  projected: readonly IdentifiedProjected[],
): Promise<WriteResult> {
  const stored = await storedHashes(client, version, projected);
  const changed: Changed[] = [];
  const removed: IdentifiedProjected[] = [];
  for (const { id, key, document } of projected) {
    const hash = stored.get(key);
    if (document === null) {
      if (hash !== undefined) removed.push({ id, key, document });
    } else if (hash === undefined || !document.hash.equals(hash)) {
      changed.push({ id, key, document });
    }
  }
  if (changed.length > 0) await upsertDocuments(client, version, changed);
  if (changed.length + removed.length > 0) await replaceLookupKeys(client, version, { changed, removed });
  if (removed.length > 0) {
    await client.query(`delete from ${documentTable(version)} where id = any($1::uuid[])`, [
      idArray(removed),
    ]);
  }
  return {
    changed: changed.length,
    removed: removed.length,
    unchanged: projected.length - changed.length - removed.length,
  };
}

interface Changed extends IdentifiedProjected {
  readonly document: Document;
}

const idArray = (all: readonly Pick<IdentifiedProjected, 'id'>[]): Buffer =>
  uuidArray(all.map(({ id }) => id));

async function storedHashes(
  client: ClientBase,
  version: Version,
  projected: readonly IdentifiedProjected[],
): Promise<Map<string, Buffer>> {
  const { rows } = await client.query<{ key: string; hash: Buffer }>({
    name: `stored-hashes-${version.id}`,
    text: `select key, hash from ${documentTable(version)} where id = any($1::uuid[])`,
    values: [idArray(projected)],
  });
  return new Map(rows.map(({ key, hash }) => [key, hash]));
}

async function upsertDocuments(
  client: ClientBase,
  version: Version,
  changed: readonly Changed[],
): Promise<void> {
  await client.query({
    name: `upsert-documents-${version.id}`,
    text: `insert into ${documentTable(version)} (id, key, hash, body)
           select * from unnest($1::uuid[], $2::text[], $3::bytea[], $4::bytea[])
           on conflict (id) do update set hash = excluded.hash, body = excluded.body`,
    values: [
      idArray(changed),
      textArray(changed.map(({ key }) => key)),
      byteaArray(changed.map(({ document }) => document.hash)),
      byteaArray(changed.map(({ document }) => document.body())),
    ],
  });
}

/** Deletes and inserts only the lookup keys that differ. */
async function replaceLookupKeys(
  client: ClientBase,
  version: Version,
  { changed, removed }: { changed: readonly Changed[]; removed: readonly IdentifiedProjected[] },
): Promise<void> {
  const keys = changed.flatMap(({ id, document }) => document.lookupKeys.map((key) => ({ id, ...key })));
  const incoming = [
    textArray(keys.map(({ value }) => value)),
    int2Array(keys.map(({ rank }) => rank)),
    int4Array(keys.map(({ support }) => support)),
    idArray(keys),
  ];
  await client.query({
    name: `remove-lookup-keys-${version.id}`,
    text: `delete from ${lookupTable(version)} stored
           where document = any($5::uuid[]) and (address, rank, support, document) not in (
             select * from unnest($1::text[], $2::int2[], $3::int4[], $4::uuid[]))`,
    values: [...incoming, idArray([...changed, ...removed])],
  });
  await client.query({
    name: `insert-lookup-keys-${version.id}`,
    text: `insert into ${lookupTable(version)} (address, rank, support, document)
           select * from unnest($1::text[], $2::int2[], $3::int4[], $4::uuid[])
           on conflict do nothing`,
    values: incoming,
  });
}
