import { catalogMaster } from '../../contracts/catalog/master.ts';
import {
  type Document,
  type ProjectedDocument,
  type Read,
  type ReadRows,
  splitRef,
  subjectRef,
} from '../../engine/projection.ts';
import type { MirrorRows, SubjectRef } from '../../engine/rows.ts';
import type { Master } from './master-rows.ts';

interface MasterReading {
  /**
   * Finds release groups by their artists too. Not in the `reads` of the projection: a changed release group affects its
   * own document, not the others of its artists.
   */
  readonly masterReads: readonly Read[];
  /** Read after the release groups, whose artists they are about. */
  readonly furtherReads: readonly Read[];
  readonly artistsOf: (master: Master) => readonly SubjectRef[];
  /** @param masters the rows of release groups @param rows those of `furtherReads` */
  readonly documentOf: (master: Master, masters: MirrorRows, rows: MirrorRows) => Document;
}

/** Projects release groups, one document each. The release groups of an artist are its dependents. */
export async function projectMasters(
  keys: readonly SubjectRef[],
  readRows: ReadRows,
  { masterReads, furtherReads, artistsOf, documentOf }: MasterReading,
): Promise<ProjectedDocument[]> {
  const masters = await readRows(masterReads, keys);
  const own = keys.filter(isMasterKey);
  const artists = own.flatMap((key) => masters.all(catalogMaster, key).flatMap(artistsOf));
  const rows = await readRows(furtherReads, [...own, ...artists]);
  return keys.map((key) => {
    if (!isMasterKey(key))
      return { key, document: null, dependents: masters.all(catalogMaster, key).map(refOf) };
    const master = masters.one(catalogMaster, key);
    return { key, document: master && documentOf(master, masters, rows), dependents: [] };
  });
}

const isMasterKey = (key: SubjectRef): boolean => splitRef(key).kind === 'master';

const refOf = (master: Master): SubjectRef => subjectRef('master', master.master_id);
