import { splitRef } from '../../../projections/projection.ts';
import type { SubjectRef } from '../../../projections/rows.ts';
import type { Source, SubjectKind } from '../../../projections/sources/contract.ts';
import type { DirtyKeys } from '../../../projections/store/mark.ts';
import type { Version } from '../../../projections/store/version.ts';
import { readsOf } from '../../../projections/store/version-reads.ts';

export interface MarkCollector {
  /** Takes note that a row of the source says something new of the subject. */
  add(source: Source, ref: SubjectRef): void;
  /** The documents to mark, each once a version. */
  marks(): DirtyKeys[];
}

/** Gathers the documents of `versions` that a batch touches, together with those that the same versions read. */
export function collectMarks(versions: readonly Version[]): MarkCollector {
  const readersOf = new Map<Source, Map<SubjectKind, Readers>>();
  const readersByIndex = new Map<string, Readers>();
  const readersOfRef = new Map<SubjectRef, Readers>();

  /** The same object for the same versions, which `indexes` says in ascending order. */
  function intern(indexes: readonly number[]): Readers {
    const id = indexes.join();
    let found = readersByIndex.get(id);
    if (found === undefined) {
      found = { indexes, versions: indexes.flatMap((index) => versions[index] ?? []), keys: new Set() };
      readersByIndex.set(id, found);
    }
    return found;
  }

  function readers(source: Source, kind: SubjectKind): Readers {
    let byKind = readersOf.get(source);
    if (byKind === undefined) {
      byKind = new Map();
      readersOf.set(source, byKind);
    }
    let found = byKind.get(kind);
    if (found === undefined) {
      found = intern(
        versions.flatMap((version, index) =>
          readsOf(version).get(source.table)?.includes(kind) ? [index] : [],
        ),
      );
      byKind.set(kind, found);
    }
    return found;
  }

  return {
    add(source, ref) {
      const more = readers(source, splitRef(ref).kind);
      const before = readersOfRef.get(ref);
      if (before === more) return;
      const all =
        before === undefined
          ? more
          : intern([...new Set([...before.indexes, ...more.indexes])].sort((a, b) => a - b));
      before?.keys.delete(ref);
      all.keys.add(ref);
      readersOfRef.set(ref, all);
    },
    marks: () => [...readersByIndex.values()].filter(({ versions }) => versions.length > 0),
  };
}

/** Versions that read the same documents anew. */
interface Readers extends DirtyKeys {
  readonly indexes: readonly number[];
  readonly keys: Set<SubjectRef>;
}
