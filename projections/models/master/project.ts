import { catalogArtist } from '../../contracts/catalog/artist.ts';
import { catalogMaster } from '../../contracts/catalog/master.ts';
import { catalogMasterCube } from '../../contracts/catalog/master-cube.ts';
import { artistIdentityBridge } from '../../contracts/seen/artist-identity-bridge.ts';
import { masterPropagationTimelineCluster } from '../../contracts/seen/master-propagation-timeline-cluster.ts';
import { dossierDocument } from '../../engine/dossier.ts';
import { type LookupKey, type Projection, type Read, subjectRef } from '../../engine/projection.ts';
import { isAuthoritative } from '../artist/lanes.ts';
import { changedHosts } from '../config.ts';
import { buildMaster } from './dossier.ts';
import { artistSubjects, MasterRows } from './master-rows.ts';
import { projectMasters } from './project-masters.ts';

const furtherReads: readonly Read[] = [
  { source: catalogMasterCube, by: ['master'] },
  { source: masterPropagationTimelineCluster, by: ['master'] },
  { source: catalogArtist, by: ['catalog-artist'] },
  { source: artistIdentityBridge, by: ['artist', 'catalog-artist'] },
];

const masterReads: readonly Read[] = [{ source: catalogMaster, by: ['master', 'catalog-artist', 'artist'] }];

/**
 * Release-group dossiers, one document each: `master:<id>`. Lookup keys are `catalog-artist:<id>/<master id>` for each
 * artist and `artist:<cluster id>/<master id>` for the artists' clusters.
 */
export const masterProjection: Projection = {
  name: 'master',
  version: 3,
  settings: changedHosts,
  reads: [{ source: catalogMaster, by: ['master'] }, ...furtherReads],
  keys: ['master'],
  project: (keys, readRows, registry) =>
    projectMasters(keys, readRows, {
      masterReads,
      furtherReads,
      artistsOf: artistSubjects,
      documentOf(master, masters, rows) {
        const all = new MasterRows(master, masters, rows);
        return dossierDocument(buildMaster(all), lookupKeysOf(all), registry);
      },
    }),
};

/** A cluster has the release groups of an artist only if its bridge is exact and names no other artist. */
function lookupKeysOf({ master, filedUnder }: MasterRows): LookupKey[] {
  const owners = filedUnder.flatMap(({ ref, bridges }) => [
    ref,
    ...bridges.filter(isAuthoritative).map((bridge) => subjectRef('artist', bridge.cluster_id)),
  ]);
  return owners.map((owner) => ({ value: `${owner}/${master.master_id}`, rank: 0, support: 0 }));
}
