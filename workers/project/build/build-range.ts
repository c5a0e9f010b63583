import type { ClientBase } from 'pg';
import { int2Bytes, int4Bytes } from '../../../db/binary-values.ts';
import { copyRows } from '../../../db/copy-binary.ts';
import { LOCKS } from '../../../db/locks.ts';
import type { Document, Projection, SourceRegistry } from '../../../projections/projection.ts';
import { mirrorReader } from '../../../projections/read-rows.ts';
import type { SubjectRef } from '../../../projections/rows.ts';
import { documentId } from '../../../projections/store/document-id.ts';
import { addressTable, documentTable, type Version } from '../../../projections/store/version.ts';

/** Projects documents that the version does not hold yet, and copies them into it. */
export async function buildRange(
  client: ClientBase,
  projection: Projection,
  version: Version,
  keys: readonly SubjectRef[],
  registry: SourceRegistry,
): Promise<void> {
  await client.query('select pg_advisory_xact_lock_shared($1)', [LOCKS.delivery]);
  const projected = await projection.project(keys, mirrorReader(client, registry), registry);
  const documents: [SubjectRef, Document][] = projected.flatMap(({ key, document }) =>
    document === null ? [] : [[key, document]],
  );
  await copyRows(
    client,
    `${documentTable(version)} (id, key, hash, body)`,
    documents.map(([key, document]) => [documentId(key), key, document.hash, document.body()]),
  );
  await copyRows(
    client,
    `${addressTable(version)} (document, support, rank, address)`,
    documents.flatMap(([key, document]) => {
      const id = documentId(key);
      return document.addresses.map(({ address, rank, support }) => [
        id,
        int4Bytes(support),
        int2Bytes(rank),
        address,
      ]);
    }),
  );
}
