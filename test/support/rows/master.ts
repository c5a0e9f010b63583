import { gunzipSync } from 'node:zlib';
import { catalogMaster } from '../../../projections/contracts/catalog/master.ts';
import type { RowOf } from '../../../projections/contracts/columns.ts';
import { prepareSeal, sealFrame } from '../../../projections/engine/frame/frame.ts';
import type { ProjectedDocument, ReadRows } from '../../../projections/engine/projection.ts';
import { splitRef } from '../../../projections/engine/projection.ts';
import { type MirrorRow, MirrorRows, type SubjectRef } from '../../../projections/engine/rows.ts';
import { masterProjection } from '../../../projections/models/master/project.ts';
import { bySubject } from './by-subject.ts';
import { rowsBySubject, rowsOf, type SourceRows } from './source-rows.ts';

export const MASTER_ID = 101;
export const MASTER: SubjectRef = `master:${MASTER_ID}`;

/** Reads of the rows what it is asked for and no more; a source that is not given has never delivered. */
export const readRowsFrom = (given: readonly SourceRows[]): ReadRows => {
  return async (reads, subjects) => {
    const found = given.map((one): [string, Map<SubjectRef, MirrorRow[]>] => {
      const by = reads.find(({ source }) => source === one.source)?.by ?? [];
      const asked = [...rowsBySubject(one)].filter(
        ([ref]) => by.includes(splitRef(ref).kind) && subjects.includes(ref),
      );
      return [one.source.table, new Map(asked)];
    });
    return new MirrorRows(bySubject(found), new Set(given.map(({ source }) => source.table)));
  };
};

/** What becomes of a key. */
export async function projectMaster(
  key: SubjectRef,
  ...given: readonly SourceRows[]
): Promise<ProjectedDocument> {
  const [projected] = await masterProjection.project([key], readRowsFrom(given), { idOf: () => 0 });
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
