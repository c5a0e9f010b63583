import type { ClientBase } from 'pg';
import { int2Bytes, int4Bytes } from '../../../db/binary-values.ts';
import { copyRows } from '../../../db/copy-binary.ts';
import type { ProjectedDocument } from '../projection.ts';
import { documentId } from './document-id.ts';
import { documentTable, lookupTable, type Version } from './version.ts';

/** Copies projected documents into a version that has none of them yet. */
export async function copyDocuments(
  client: ClientBase,
  version: Version,
  projected: readonly ProjectedDocument[],
): Promise<void> {
  const documents = projected.flatMap(({ key, document }) =>
    document === null ? [] : [{ id: documentId(key), key, document }],
  );
  await copyRows(
    client,
    `${documentTable(version)} (id, key, hash, body)`,
    documents.map(({ id, key, document }) => [id, key, document.hash, document.body()]),
  );
  await copyRows(
    client,
    `${lookupTable(version)} (document, support, rank, address)`,
    documents.flatMap(({ id, document }) =>
      document.lookupKeys.map(({ value: address, rank, support }) => [
        id,
        int4Bytes(support),
        int2Bytes(rank),
        address,
      ]),
    ),
  );
}
