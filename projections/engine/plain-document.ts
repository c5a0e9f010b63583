import { hash } from 'node:crypto';
import { type Document, type LookupKey, lookupKeysText, storableLookupKeys } from './projection.ts';

/** A document that only this service reads: plain JSON with its lookup keys. */
export function plainDocument(value: object, keys: readonly LookupKey[]): Document {
  const lookupKeys = storableLookupKeys(keys);
  const body = JSON.stringify(value);
  return {
    hash: hash('sha256', `${body}\n${lookupKeysText(lookupKeys)}`, 'buffer').subarray(0, 16),
    body: () => Buffer.from(body),
    lookupKeys,
  };
}

const MAX_SUPPORT = 2 ** 31 - 1;

/** A producer's count as the support of a lookup key, which has 31 bits. */
export const supportOf = (count: number): number => Math.min(Math.max(count, 0), MAX_SUPPORT);
