import { projectionByName } from '../index.ts';
import type { SubjectKind } from '../sources/contract.ts';
import type { Version } from './version.ts';

type Reads = ReadonlyMap<string, readonly SubjectKind[]>;

/** For each projection of this code and each table, the kinds of subject by which it reads the table. */
const own: ReadonlyMap<string, Reads> = new Map(
  [...projectionByName].map(([name, { reads }]) => [
    name,
    new Map(reads.map(({ source, by }) => [source.table, by])),
  ]),
);

const NOTHING: Reads = new Map();
const foreign = new WeakMap<object, Reads>();

/**
 * By which kinds of subject a version reads which tables. That of other code may read what this code does not, and
 * has its documents marked all the same.
 */
export function readsOf({ projection, reads }: Pick<Version, 'projection' | 'reads'>): Reads {
  if (!reads) return own.get(projection) ?? NOTHING;
  let found = foreign.get(reads);
  if (found === undefined) {
    found = new Map(Object.entries(reads));
    foreign.set(reads, found);
  }
  return found;
}
