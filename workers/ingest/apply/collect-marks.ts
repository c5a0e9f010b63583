import { splitRef } from '../../../projections/projection.ts';
import type { SubjectRef } from '../../../projections/rows.ts';
import type { Source, SubjectKind } from '../../../projections/sources/contract.ts';
import type { Mark } from '../../../projections/store/mark.ts';
import type { Version } from '../../../projections/store/version.ts';
import { readsOf } from '../../../projections/store/version-reads.ts';

export interface MarkCollector {
  /** Takes note that a row of the source says something new of the subject. */
  add(source: Source, ref: SubjectRef): void;
  /** The documents to mark, each once a version. */
  marks(): Mark[];
}

/** Gathers the documents of `versions` that a batch touches. */
export function collectMarks(versions: readonly Version[]): MarkCollector {
  const keysOf = new Map<Version, Set<SubjectRef>>(versions.map((version) => [version, new Set()]));
  const readersOf = new Map<Source, Reader[]>();

  function readers(source: Source): Reader[] {
    let found = readersOf.get(source);
    if (found === undefined) {
      found = [...keysOf].flatMap(([version, keys]) => {
        const by = readsOf(version).get(source.table);
        return by === undefined ? [] : [{ by, keys }];
      });
      readersOf.set(source, found);
    }
    return found;
  }

  return {
    add(source, ref) {
      const all = readers(source);
      if (all.length === 0) return;
      const { kind } = splitRef(ref);
      for (const { by, keys } of all) if (by.includes(kind)) keys.add(ref);
    },
    marks: () => [...keysOf].flatMap(([version, keys]) => Array.from(keys, (key) => ({ version, key }))),
  };
}

interface Reader {
  readonly by: readonly SubjectKind[];
  readonly keys: Set<SubjectRef>;
}
