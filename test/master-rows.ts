import { gunzipSync } from 'node:zlib';
import { prepareSeal, sealFrame } from '../projections/frame/frame.ts';
import { masterProjection } from '../projections/master/project.ts';
import type { Projected, ReadRows } from '../projections/projection.ts';
import { splitRef } from '../projections/projection.ts';
import { type MirrorRow, MirrorRows, type SubjectRef } from '../projections/rows.ts';
import { catalogMaster } from '../projections/sources/catalog/master.ts';
import type { RowOf } from '../projections/sources/columns.ts';
import type { Source } from '../projections/sources/contract.ts';
import { rowsOf, type SourceRows } from './artist-rows.ts';

export const MASTER_ID = 101;
export const MASTER: SubjectRef = `master:${MASTER_ID}`;

/** When the first row of each source changed; every further one a second later. */
const CHANGED_AT = Date.UTC(2019, 5, 30, 12);

/** Reads of the rows what it is asked for and no more; a source that is not given has never delivered. */
export const readerOf = (given: readonly SourceRows[]): ReadRows => {
  return async (reads, subjects) => {
    const found = new Map<string, Map<SubjectRef, MirrorRow[]>>();
    for (const { source, rows } of given) {
      const by = reads.find((read) => read.source === source)?.by ?? [];
      const bySubject = new Map<SubjectRef, MirrorRow[]>();
      found.set(source.table, bySubject);
      for (const [index, row] of rows.entries()) {
        const refs = subjectsOf(source, row).filter((ref) => by.includes(splitRef(ref).kind));
        const entry = { row, changedAt: CHANGED_AT + index * 1_000 };
        for (const ref of refs.filter((one) => subjects.includes(one)))
          bySubject.set(ref, [...(bySubject.get(ref) ?? []), entry]);
      }
    }
    return new MirrorRows(found, new Set(given.map(({ source }) => source.table)));
  };
};

const subjectsOf = (source: Source, row: SourceRows['rows'][number]): SubjectRef[] =>
  [source.subject, ...source.feeds].flatMap(({ kind, column }) =>
    [row[column]]
      .flat()
      .filter((id) => id !== null)
      .map((id): SubjectRef => `${kind}:${id}`),
  );

/** What becomes of a key. */
export async function projectMaster(key: SubjectRef, ...given: readonly SourceRows[]): Promise<Projected> {
  const [projected] = await masterProjection.project([key], readerOf(given), { idOf: () => 0 });
  if (projected === undefined) throw new Error(`${key} was not projected`);
  return projected;
}

/** The stored dossier of the master, as it would be served. */
export async function storedText(...given: readonly SourceRows[]): Promise<string> {
  const { document } = await projectMaster(MASTER, ...given);
  if (document === null) throw new Error(`${MASTER} has no document`);
  return gunzipSync(
    sealFrame(
      document.body(),
      prepareSeal('2026-01-01T00:00:00Z', () => false),
    ),
  ).toString();
}

/** The release group's own row: filed under catalogue artist 11, without a name cluster. */
export const masterRow = (row: Partial<RowOf<typeof catalogMaster.columns>> = {}): SourceRows =>
  rowsOf(catalogMaster, {
    master_id: MASTER_ID,
    catalog_artist_ids: [11],
    artist_cluster_id: null,
    ...row,
  });

/** The dossier of the master, without the object around it. */
export const masterOf = async (...given: readonly SourceRows[]) =>
  JSON.parse(await storedText(...given)).master;
