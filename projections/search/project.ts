import { plainDocument } from '../plain-document.ts';
import { type Projection, type Read, splitRef, subjectRef } from '../projection.ts';
import type { SubjectRef } from '../rows.ts';
import { catalogMaster } from '../sources/catalog/master.ts';
import { catalogMasterCube } from '../sources/catalog/master-cube.ts';
import { artistIdentityBridge } from '../sources/seen/artist-identity-bridge.ts';
import { artistRefs, searchDocument } from './document.ts';

/** Read once it is known which artist a release group is by. */
const furtherReads: readonly Read[] = [
  { source: catalogMasterCube, by: ['master'] },
  { source: artistIdentityBridge, by: ['catalog-artist'] },
];

/**
 * Finds release groups by their artist too. Not among the projection's own reads: a changed release group concerns its
 * own document, and no other one of its artist.
 */
const masterReads: readonly Read[] = [{ source: catalogMaster, by: ['master', 'catalog-artist'] }];

/** What can be searched of a release group, one document each: `master:<id>`. Generations of the index are built from them. */
export const searchProjection: Projection = {
  name: 'search',
  reads: [{ source: catalogMaster, by: ['master'] }, ...furtherReads],
  keys: ['master'],
  async project(keys, readRows) {
    const masters = await readRows(masterReads, keys);
    const own = keys.filter(isMasterKey);
    const artists = own.flatMap((key) => masters.all(catalogMaster, key).flatMap(artistRefs));
    const rows = await readRows(furtherReads, [...own, ...artists]);
    return keys.map((key) => {
      if (!isMasterKey(key)) {
        const touches = masters
          .all(catalogMaster, key)
          .map((master) => subjectRef('master', master.master_id));
        return { key, document: null, touches };
      }
      const master = masters.one(catalogMaster, key);
      const document = master === null ? null : plainDocument(searchDocument(master, rows), []);
      return { key, document, touches: [] };
    });
  },
};

const isMasterKey = (key: SubjectRef): boolean => splitRef(key).kind === 'master';
