import type { MirrorRow, RowsBySubject, SubjectRef } from '../../../projections/engine/rows.ts';

/** Rows as projections read them, from the rows of each table by subject. */
export function bySubject(
  tables: Iterable<readonly [string, ReadonlyMap<SubjectRef, readonly MirrorRow[]>]>,
): RowsBySubject {
  const subjects = new Map<SubjectRef, Map<string, readonly MirrorRow[]>>();
  for (const [table, rows] of tables) {
    for (const [subject, entries] of rows) {
      const ofSubject = subjects.get(subject) ?? new Map<string, readonly MirrorRow[]>();
      subjects.set(subject, ofSubject.set(table, entries));
    }
  }
  return subjects;
}
