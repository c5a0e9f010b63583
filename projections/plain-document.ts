import { hash } from 'node:crypto';
import { type Address, type Document, storableAddresses } from './projection.ts';

/** A document that only this service reads: JSON as it is, under the addresses by which it is looked up. */
export function plainDocument(value: object, claims: readonly Address[]): Document {
  const addresses = storableAddresses(claims);
  const body = JSON.stringify(value);
  return {
    hash: hash('sha256', `${body}\n${JSON.stringify(addresses)}`, 'buffer').subarray(0, 16),
    body: () => Buffer.from(body),
    addresses,
  };
}

const MAX_SUPPORT = 2 ** 31 - 1;

/** A producer's count as the support of an address, which has room for 31 bits. */
export const supportOf = (count: number): number => Math.min(Math.max(count, 0), MAX_SUPPORT);
