import type { ClientBase } from 'pg';
import { byteaArray, int2Array, int4Array, textArray, uuidArray } from '../../db/arrays.ts';
import type { Projected } from '../projection.ts';
import { documentId } from './document-id.ts';
import { addressTable, documentTable, type Version } from './version.ts';

/** What a batch did to the stored documents. */
export interface Written {
  readonly changed: number;
  readonly unchanged: number;
  readonly removed: number;
}

export const NOTHING_WRITTEN: Written = { changed: 0, unchanged: 0, removed: 0 };

export const addWritten = (one: Written, other: Written): Written => ({
  changed: one.changed + other.changed,
  unchanged: one.unchanged + other.unchanged,
  removed: one.removed + other.removed,
});

/** Brings the stored documents to the projected ones. An equal document is neither compressed nor written. */
export async function writeDocuments(
  client: ClientBase,
  version: Version,
  projected: readonly Projected[],
): Promise<Written> {
  const stored = await storedHashes(client, version, projected);
  const changed: Projected[] = [];
  const removed: string[] = [];
  for (const entry of projected) {
    const hash = stored.get(entry.key);
    if (entry.document === null) {
      if (hash !== undefined) removed.push(entry.key);
    } else if (hash === undefined || !entry.document.hash.equals(hash)) {
      changed.push(entry);
    }
  }
  if (changed.length > 0) await upsertDocuments(client, version, changed);
  if (changed.length + removed.length > 0) await replaceAddresses(client, version, changed, removed);
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

const idArray = (keys: readonly string[]): Buffer => uuidArray(keys.map(documentId));

async function storedHashes(
  client: ClientBase,
  version: Version,
  projected: readonly Projected[],
): Promise<Map<string, Buffer>> {
  const { rows } = await client.query<{ key: string; hash: Buffer }>({
    name: `stored-hashes-${version.id}`,
    text: `select key, hash from ${documentTable(version)} where id = any($1::uuid[])`,
    values: [idArray(projected.map(({ key }) => key))],
  });
  return new Map(rows.map(({ key, hash }) => [key, hash]));
}

async function upsertDocuments(
  client: ClientBase,
  version: Version,
  changed: readonly Projected[],
): Promise<void> {
  const documents = changed.flatMap(({ key, document }) => (document === null ? [] : [{ key, document }]));
  await client.query({
    name: `upsert-documents-${version.id}`,
    text: `insert into ${documentTable(version)} (id, key, hash, body)
           select * from unnest($1::uuid[], $2::text[], $3::bytea[], $4::bytea[])
           on conflict (id) do update set hash = excluded.hash, body = excluded.body`,
    values: [
      idArray(documents.map(({ key }) => key)),
      textArray(documents.map(({ key }) => key)),
      byteaArray(documents.map(({ document }) => document.hash)),
      byteaArray(documents.map(({ document }) => document.body())),
    ],
  });
}

/** Deletes what no longer holds and inserts what is new, so that addresses which stay are left alone. */
async function replaceAddresses(
  client: ClientBase,
  version: Version,
  changed: readonly Projected[],
  removed: readonly string[],
): Promise<void> {
  const addresses = changed.flatMap(({ key, document }) =>
    (document?.addresses ?? []).map((address) => ({ key, ...address })),
  );
  const incoming = [
    textArray(addresses.map(({ address }) => address)),
    int2Array(addresses.map(({ rank }) => rank)),
    int4Array(addresses.map(({ support }) => support)),
    idArray(addresses.map(({ key }) => key)),
  ];
  await client.query({
    name: `remove-addresses-${version.id}`,
    text: `delete from ${addressTable(version)} stored
           where document = any($5::uuid[]) and (address, rank, support, document) not in (
             select * from unnest($1::text[], $2::int2[], $3::int4[], $4::uuid[]))`,
    values: [...incoming, idArray([...changed.map(({ key }) => key), ...removed])],
  });
  await client.query({
    name: `insert-addresses-${version.id}`,
    text: `insert into ${addressTable(version)} (address, rank, support, document)
           select * from unnest($1::text[], $2::int2[], $3::int4[], $4::uuid[])
           on conflict do nothing`,
    values: incoming,
  });
}
