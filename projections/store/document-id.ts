import { hash } from 'node:crypto';
import { uuidArray } from '../../db/arrays.ts';

const BYTES = 16;

/**
 * The id of a document within its tables, from which no key is told again: half of the SHA-256 of its key, so that a
 * document has the same one in every version and read model. In SQL it is `projection.document_id(key)`.
 *
 * @returns the 16 bytes of a uuid
 */
export const documentId = (key: string): Buffer => hash('sha256', key, 'buffer').subarray(0, BYTES);

/** The ids of the documents of `keys`, as a parameter `uuid[]`. */
export const documentIds = (keys: readonly string[]): Buffer => uuidArray(keys.map(documentId));
