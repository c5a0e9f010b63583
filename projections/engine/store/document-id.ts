import { hash } from 'node:crypto';
import { uuidArray } from '../../../db/arrays.ts';

const BYTES = 16;

/**
 * The id of a document in its tables: the first half of the SHA-256 of its key, the same in every version and read model.
 * In SQL it is `projection.document_id(key)`.
 *
 * @returns the 16 bytes of a uuid
 */
export const documentId = (key: string): Buffer => hash('sha256', key, 'buffer').subarray(0, BYTES);

/** The ids of the documents of `keys`, as a `uuid[]` parameter. */
export const documentIds = (keys: readonly string[]): Buffer => uuidArray(keys.map(documentId));
