import type { Source, SubjectKind } from '../contracts/contract.ts';
import type { MirrorRows, SubjectRef } from './rows.ts';

/** A source that a projection reads, and the kinds of subject by which it reads the source. */
export interface Read {
  readonly source: Source;
  readonly by: readonly SubjectKind[];
}

/** A name under which a document is looked up; the lowest rank wins, then the greatest support, then the document's id. */
export interface LookupKey {
  readonly value: string;
  readonly rank: number;
  /** A count; or below zero, which of a pair the document is (`pairedCandidates`). */
  readonly support: number;
}

/** A document to store. Equal hashes mean equal documents. */
export interface Document {
  readonly hash: Buffer;
  /** Called only if the stored hash differs, so that an equal document costs no compression. */
  body(): Buffer;
  readonly lookupKeys: readonly LookupKey[];
}

/** The result of projecting one key. */
export interface ProjectedDocument {
  readonly key: SubjectRef;
  /** Null if no mirror row is about the key any more. */
  readonly document: Document | null;
  /** Other documents that may differ because of this one's sources. */
  readonly dependents: readonly SubjectRef[];
}

/** What follows the table in `create index`: columns or an expression, and a condition. */
export type IndexDefinition = string;

/** Reads mirror rows in set queries: all rows of the given sources for all the given subjects. */
export type ReadRows = (reads: readonly Read[], subjects: readonly SubjectRef[]) => Promise<MirrorRows>;

/**
 * A read model: for each key a document that is a pure function of mirror rows. The same rows give the same
 * bytes, so that streamed, rebuilt and recomputed documents are equal.
 */
export interface Projection {
  readonly name: string;
  /**
   * Raised by one whenever the same rows give another document or lookup key, so that all are built again. The golden
   * test (`test/golden`) fails if it is not raised. Not to be confused with the stored versions, one of which is live.
   */
  readonly version: number;
  /** The settings that shape its documents, where they are not the defaults: another value builds all documents again. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Every source that a document may depend on, by every kind of subject it is read by. */
  readonly reads: readonly Read[];
  /** Kinds of subject that have a document each. */
  readonly keys: readonly SubjectKind[];
  /** Further indexes on the lookup keys of its documents. */
  readonly lookupIndexes?: readonly IndexDefinition[];
  /** SQL that runs when the tables of a version are created, such as triggers on them. */
  readonly onCreate?: (documentTable: string, version: number) => string;
  project(
    keys: readonly SubjectRef[],
    readRows: ReadRows,
    registry: SourceRegistry,
  ): Promise<ProjectedDocument[]>;
}

/** The ids of sources in the database. */
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

/** The longest lookup key that is stored: an index entry has no room for more. */
const MAX_KEY_BYTES = 1_000;

/** Counts bytes only of long ones. */
const isStorable = (key: string): boolean =>
  key.length * 3 <= MAX_KEY_BYTES || Buffer.byteLength(key) <= MAX_KEY_BYTES;

/** The lookup keys to store: each once, and none that is too long. */
export function storableLookupKeys(keys: readonly LookupKey[]): LookupKey[] {
  const unique = new Map(keys.map((key) => [`${key.rank} ${key.value}`, key]));
  return [...unique.values()].filter(({ value }) => isStorable(value));
}

/** Lookup keys as text for a document's hash. The member `address` is part of every stored hash, and so stays. */
export const lookupKeysText = (keys: readonly LookupKey[]): string =>
  JSON.stringify(keys.map(({ value, rank, support }) => ({ address: value, rank, support })));
