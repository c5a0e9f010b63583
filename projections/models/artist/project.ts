import { catalogArtist } from '../../contracts/catalog/artist.ts';
import { catalogMaster } from '../../contracts/catalog/master.ts';
import { isAbout, type SubjectKind } from '../../contracts/contract.ts';
import { artistIdentityBridge } from '../../contracts/seen/artist-identity-bridge.ts';
import { dossierDocument } from '../../engine/dossier.ts';
import { type LookupKey, type Projection, type Read, subjectRef } from '../../engine/projection.ts';
import type { MirrorRows, SubjectRef } from '../../engine/rows.ts';
import { changedHosts } from '../config.ts';
import { buildArtist } from './dossier.ts';
import { facets } from './facets/index.ts';
import { artistSubject, boundCatalogRefs, clusterSlugs, namedCatalogRefs } from './lanes.ts';
import { isKnownArtist, readLanes } from './read-lanes.ts';

const KINDS: readonly SubjectKind[] = ['artist', 'catalog-artist'];

const reads: readonly Read[] = [
  ...new Set([artistIdentityBridge, ...facets.flatMap((facet) => facet.sources)]),
].map((source) => ({
  source,
  by: KINDS.filter((kind) => isAbout(source, kind)),
}));

/** Not in `reads`: the release groups filed under a changed cluster mark their artists dirty. */
const NAME_BRIDGES: readonly Read[] = [{ source: artistIdentityBridge, by: ['artist'] }];

/**
 * Artist dossiers, one document per lane: `artist:<cluster id>` and `catalog-artist:<id>`. A catalogue document includes
 * the rows of the cluster that a bridge binds to it.
 */
export const artistProjection: Projection = {
  name: 'artist',
  version: 4,
  settings: changedHosts,
  reads,
  keys: KINDS,
  async project(keys, readRows, registry) {
    const rows = await readLanes(reads, keys, readRows);
    const nameBridges = await readRows(
      NAME_BRIDGES,
      keys.flatMap((key) => nameClusters(key, rows)),
    );
    return keys.map((key) => {
      const subject = artistSubject(key, rows);
      const dependents =
        subject.lane === 'cluster'
          ? [...new Set([...boundCatalogRefs(rows, key), ...namedCatalogRefs(rows, key)])]
          : [];
      if (!isKnownArtist(reads, key, rows)) return { key, document: null, dependents };
      const dossier = buildArtist(subject, rows, nameBridges);
      return { key, document: dossierDocument(dossier, lookupKeysOf(key, rows), registry), dependents };
    });
  },
};

/** The clusters that the catalogue assigned to the artist's release groups by name. */
const nameClusters = (key: SubjectRef, rows: MirrorRows): SubjectRef[] =>
  rows
    .all(catalogMaster, key)
    .flatMap(({ artist_cluster_id: id }) => (id === null ? [] : [subjectRef('artist', id)]));

/** A slug belongs to the catalogue artist first, then to the booking graph, then to a published name. */
function lookupKeysOf(key: SubjectRef, rows: MirrorRows): LookupKey[] {
  const artist = rows.one(catalogArtist, key);
  if (artist !== null) return [{ value: artist.slug.toLowerCase(), rank: 0, support: 0 }];
  return clusterSlugs(rows, key).map(({ slug, rank, support }) => ({
    value: slug,
    rank,
    support,
  }));
}
