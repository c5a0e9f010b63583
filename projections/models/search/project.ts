import { catalogMaster } from '../../contracts/catalog/master.ts';
import { catalogMasterCube } from '../../contracts/catalog/master-cube.ts';
import { artistIdentityBridge } from '../../contracts/seen/artist-identity-bridge.ts';
import { plainDocument } from '../../engine/plain-document.ts';
import type { Projection, Read } from '../../engine/projection.ts';
import { projectMasters } from '../master/project-masters.ts';
import { changeTriggers } from './changes.ts';
import { artistRefs, searchDocument } from './document.ts';

const furtherReads: readonly Read[] = [
  { source: catalogMasterCube, by: ['master'] },
  { source: artistIdentityBridge, by: ['catalog-artist'] },
];

const masterReads: readonly Read[] = [{ source: catalogMaster, by: ['master', 'catalog-artist'] }];

/** Searchable release groups, one document each: `master:<id>`. Generations of the index are built from them. */
export const searchProjection: Projection = {
  name: 'search',
  version: 1,
  reads: [{ source: catalogMaster, by: ['master'] }, ...furtherReads],
  keys: ['master'],
  onCreate: changeTriggers,
  project: (keys, readRows) =>
    projectMasters(keys, readRows, {
      masterReads,
      furtherReads,
      artistsOf: artistRefs,
      documentOf: (master, _masters, rows) => plainDocument(searchDocument(master, rows), []),
    }),
};
