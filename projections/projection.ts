import type { MirrorRows, SubjectRef } from './rows.ts';
import type { Source, SubjectKind } from './sources/contract.ts';

/** A source that a projection reads, and the kinds of subject it reads it by. */
export interface Read {
  readonly source: Source;
  readonly by: readonly SubjectKind[];
}

/** A name under which a document is looked up; the lowest rank wins, then the greatest support, then the document's id. */
export interface Address {
  readonly address: string;
  readonly rank: number;
  /** A count; or below zero, which of a pair the document is (`pairedClaims`). */
  readonly support: number;
}

/** A document as it is to be stored. Equal hashes mean equal documents. */
export interface Document {
  readonly hash: Buffer;
  /** Asked for only where the stored hash differs, so that an equal document costs no compression. */
  body(): Buffer;
  readonly addresses: readonly Address[];
}

/** What became of one key. */
export interface Projected {
  readonly key: SubjectRef;
  /** Null where no mirror row speaks of the key any more. */
  readonly document: Document | null;
  /** Further documents that may differ because of this one's sources. */
  readonly touches: readonly SubjectRef[];
}

/** Reads mirror rows in set queries: all rows of the given sources for all the given subjects. */
export type ReadRows = (reads: readonly Read[], subjects: readonly SubjectRef[]) => Promise<MirrorRows>;

/**
 * A read model: for each key a document that is a pure function of mirror rows. The same rows give the same
 * bytes, so that streamed, rebuilt and recomputed documents are equal.
 */
export interface Projection {
  readonly name: string;
  /** Every source that a document may depend on, by every kind of subject it is read by. */
  readonly reads: readonly Read[];
  /** Kinds of subject that have a document each. */
  readonly keys: readonly SubjectKind[];
  project(keys: readonly SubjectRef[], readRows: ReadRows, registry: SourceRegistry): Promise<Projected[]>;
}

/** The numbers that the database gave the sources. */
export interface SourceRegistry {
  idOf(source: Source): number;
}

export const subjectRef = (kind: SubjectKind, value: string | number): SubjectRef => `${kind}:${value}`;

export function splitRef(ref: SubjectRef): {
  kind: SubjectKind;
  value: string;
} {
  const colon = ref.indexOf(':');
  return {
    kind: ref.slice(0, colon) as SubjectKind,
    value: ref.slice(colon + 1),
  };
}

/** Longest address that is kept: an index entry has room for no more, and no caller asks for more. */
const MAX_ADDRESS_BYTES = 1_000;

/** Most are so short that their bytes need no counting. */
const isStorable = (address: string): boolean =>
  address.length * 3 <= MAX_ADDRESS_BYTES || Buffer.byteLength(address) <= MAX_ADDRESS_BYTES;

/** Addresses as they are stored: each once, and none too long to be looked up. */
export function storableAddresses(addresses: readonly Address[]): Address[] {
  const unique = new Map(addresses.map((address) => [`${address.rank} ${address.address}`, address]));
  return [...unique.values()].filter(({ address }) => isStorable(address));
}
