import type { ClientBase } from 'pg';
import { byteaArray, int2Array, int4Array, textArray, uuidArray } from '../../db/arrays.ts';
import type { Document, Projected } from '../projection.ts';
import type { SubjectRef } from '../rows.ts';
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

/** What became of a key, as it is written to any number of versions. */
export interface Writable {
  readonly id: Buffer;
  readonly key: SubjectRef;
  readonly document: Document | null;
}

/** Prepares a projected document, so that nothing is worked out anew for another version. */
export const writable = ({ key, document }: Projected): Writable => ({
  id: documentId(key),
  key,
  document: document && encodedOnce(document),
});

function encodedOnce(document: Document): Document {
  let encoded: Buffer | null = null;
  return {
    ...document,
    body() {
      encoded ??= document.body();
      return encoded;
    },
  };
}

/** Brings the stored documents to the projected ones. An equal document is neither compressed nor written. */
export async function writeDocuments(
  client: ClientBase,
  version: Version,
  projected: readonly Writable[],
): Promise<Written> {
  const stored = await storedHashes(client, version, projected);
  const changed: Changed[] = [];
  const removed: Writable[] = [];
  for (const { id, key, document } of projected) {
    const hash = stored.get(key);
    if (document === null) {
      if (hash !== undefined) removed.push({ id, key, document });
    } else if (hash === undefined || !document.hash.equals(hash)) {
      changed.push({ id, key, document });
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

interface Changed extends Writable {
  readonly document: Document;
}

const idArray = (all: readonly Pick<Writable, 'id'>[]): Buffer => uuidArray(all.map(({ id }) => id));

async function storedHashes(
  client: ClientBase,
  version: Version,
  projected: readonly Writable[],
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

/** Deletes what no longer holds and inserts what is new, so that addresses which stay are left alone. */
async function replaceAddresses(
  client: ClientBase,
  version: Version,
  changed: readonly Changed[],
  removed: readonly Writable[],
): Promise<void> {
  const addresses = changed.flatMap(({ id, document }) =>
    document.addresses.map((address) => ({ id, ...address })),
  );
  const incoming = [
    textArray(addresses.map(({ address }) => address)),
    int2Array(addresses.map(({ rank }) => rank)),
    int4Array(addresses.map(({ support }) => support)),
    idArray(addresses),
  ];
  await client.query({
    name: `remove-addresses-${version.id}`,
    text: `delete from ${addressTable(version)} stored
           where document = any($5::uuid[]) and (address, rank, support, document) not in (
             select * from unnest($1::text[], $2::int2[], $3::int4[], $4::uuid[]))`,
    values: [...incoming, idArray([...changed, ...removed])],
  });
  await client.query({
    name: `insert-addresses-${version.id}`,
    text: `insert into ${addressTable(version)} (address, rank, support, document)
           select * from unnest($1::text[], $2::int2[], $3::int4[], $4::uuid[])
           on conflict do nothing`,
    values: incoming,
  });
}
