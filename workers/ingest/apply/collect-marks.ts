import type { Source, SubjectKind } from '../../../projections/contracts/contract.ts';
import { splitRef, subjectRef } from '../../../projections/engine/projection.ts';
import type { SubjectRef } from '../../../projections/engine/rows.ts';
import type { DirtyKeys } from '../../../projections/engine/store/mark.ts';
import type { KeptVersion } from '../../../projections/engine/store/version.ts';

export interface MarkCollector {
  /** Adds the documents that show a subject of a changed row of the source. */
  add(source: Source, ref: SubjectRef): void;
  /** The documents to mark, each once for a version. */
  marks(): DirtyKeys[];
}

/** Collects the documents of `versions` that a batch affects, grouped by the versions that show them. */
export function collectMarks(versions: readonly KeptVersion[]): MarkCollector {
  const readersOf = new Map<Source, Map<SubjectKind, Readers>>();
  const readersByIndex = new Map<string, Readers>();
  const readersOfRef = new Map<SubjectRef, Readers>();

  /** One object for each set of versions. @param indexes ascending */
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
          version.reads.get(source.table)?.includes(kind) ? [index] : [],
        ),
      );
      byKind.set(kind, found);
    }
    return found;
  }

  function addKey(ref: SubjectRef, more: Readers): void {
    const before = readersOfRef.get(ref);
    if (before === more) return;
    const all =
      before === undefined
        ? more
        : intern([...new Set([...before.indexes, ...more.indexes])].sort((a, b) => a - b));
    before?.keys.delete(ref);
    all.keys.add(ref);
    readersOfRef.set(ref, all);
  }

  return {
    add(source, ref) {
      const { kind, value } = splitRef(ref);
      addKey(ref, readers(source, kind));
      if (source.markedAs !== undefined && kind === source.subject.kind)
        addKey(subjectRef(source.markedAs, value), readers(source, source.markedAs));
    },
    marks: () => [...readersByIndex.values()].filter(({ versions }) => versions.length > 0),
  };
}

/** Versions with the same documents to mark. */
interface Readers extends DirtyKeys {
  readonly indexes: readonly number[];
  readonly keys: Set<SubjectRef>;
}
