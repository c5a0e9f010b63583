import { dossierDocument } from '../dossier.ts';
import {
  type Address,
  type Document,
  type Projection,
  type Read,
  type SourceRegistry,
  splitRef,
  subjectRef,
} from '../projection.ts';
import type { MirrorRows, SubjectRef } from '../rows.ts';
import { catalogArtist } from '../sources/catalog/artist.ts';
import { catalogMaster } from '../sources/catalog/master.ts';
import { catalogMasterCube } from '../sources/catalog/master-cube.ts';
import { artistIdentityBridge } from '../sources/seen/artist-identity-bridge.ts';
import { masterPropagationTimelineCluster } from '../sources/seen/master-propagation-timeline-cluster.ts';
import { buildMaster } from './dossier.ts';
import { artistSubjects, type Master, MasterRows } from './master-rows.ts';

/** Read once it is known which artists a release group is filed under. */
const furtherReads: readonly Read[] = [
  { source: catalogMasterCube, by: ['master'] },
  { source: masterPropagationTimelineCluster, by: ['master'] },
  { source: catalogArtist, by: ['catalog-artist'] },
  { source: artistIdentityBridge, by: ['artist', 'catalog-artist'] },
];

/**
 * Finds release groups by their artists too. Not among the projection's own reads: a changed release group concerns
 * its own document, and no other one of its artists.
 */
const masterReads: readonly Read[] = [{ source: catalogMaster, by: ['master', 'catalog-artist', 'artist'] }];

/**
 * The release-group dossier, one document each: `master:<id>`. It is looked up under those it is filed under, as
 * `catalog-artist:<id>/<master id>`, and under their clusters, as `artist:<cluster id>/<master id>`.
 */
export const masterProjection: Projection = {
  name: 'master',
  reads: [{ source: catalogMaster, by: ['master'] }, ...furtherReads],
  keys: ['master'],
  async project(keys, readRows, registry) {
    const masters = await readRows(masterReads, keys);
    const own = keys.filter(isMasterKey);
    const artists = own.flatMap((key) => masters.all(catalogMaster, key).flatMap(artistSubjects));
    const rows = await readRows(furtherReads, [...own, ...artists]);
    return keys.map((key) =>
      isMasterKey(key)
        ? { key, document: documentOf(masters.one(catalogMaster, key), masters, rows, registry), touches: [] }
        : { key, document: null, touches: masters.all(catalogMaster, key).map(refOf) },
    );
  },
};

function documentOf(
  master: Master | null,
  masters: MirrorRows,
  rows: MirrorRows,
  registry: SourceRegistry,
): Document | null {
  if (master === null) return null;
  const about = new MasterRows(master, masters, rows);
  return dossierDocument(buildMaster(about), addressesOf(about), registry);
}

const isMasterKey = (key: SubjectRef): boolean => splitRef(key).kind === 'master';

const refOf = (master: Master): SubjectRef => subjectRef('master', master.master_id);

/** A cluster has the release groups of an artist only where its bridge is exact and names that artist alone. */
function addressesOf({ master, filedUnder }: MasterRows): Address[] {
  const owners = filedUnder.flatMap(({ ref, bridges }) => [
    ref,
    ...bridges
      .filter((bridge) => bridge.is_exact && bridge.catalog_artist_id_count === 1)
      .map((bridge) => subjectRef('artist', bridge.cluster_id)),
  ]);
  return owners.map((owner) => ({ address: `${owner}/${master.master_id}`, rank: 0, support: 0 }));
}
