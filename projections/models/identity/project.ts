import { catalogArtist } from '../../contracts/catalog/artist.ts';
import { clusterAliasV1 } from '../../contracts/mirror/cluster-alias-v1.ts';
import { clusterAuthorityIdsV1 } from '../../contracts/mirror/cluster-authority-ids-v1.ts';
import { artistIdentityBridge } from '../../contracts/seen/artist-identity-bridge.ts';
import { artistWebPresence } from '../../contracts/seen/artist-web-presence.ts';
import { performingEntity } from '../../contracts/seen/performing-entity.ts';
import { spineArtistNamePublishedView } from '../../contracts/spine/spine-artist-name-published-view.ts';
import { plainDocument } from '../../engine/plain-document.ts';
import {
  type Document,
  type ProjectedDocument,
  type Projection,
  type Read,
  splitRef,
  subjectRef,
} from '../../engine/projection.ts';
import type { MirrorRows, SubjectRef } from '../../engine/rows.ts';
import { boundCatalogRefs, boundCluster } from '../artist/lanes.ts';
import { isKnownArtist, readLanes } from '../artist/read-lanes.ts';
import { catalogIdentity, clusterIdentity } from './identity.ts';
import { catalogLookupKeys, clusterLookupKeys } from './lookup-keys.ts';
import { nearNameIndex } from './near-names.ts';
import { knownPages } from './pages.ts';

const reads: readonly Read[] = [
  { source: catalogArtist, by: ['catalog-artist'] },
  { source: artistIdentityBridge, by: ['artist', 'catalog-artist'] },
  { source: spineArtistNamePublishedView, by: ['artist'] },
  { source: performingEntity, by: ['artist'] },
  { source: clusterAliasV1, by: ['artist'] },
  { source: clusterAuthorityIdsV1, by: ['artist'] },
  { source: artistWebPresence, by: ['artist'] },
];

/** Identities of artists, looked up by every name, id and page. */
export const identityProjection: Projection = {
  name: 'identity',
  version: 2,
  reads,
  keys: ['artist', 'catalog-artist'],
  lookupIndexes: [nearNameIndex],
  async project(keys, readRows) {
    const rows = await readLanes(reads, keys, readRows);
    return keys.map((key) => projectIdentity(key, rows));
  },
};

function projectIdentity(key: SubjectRef, rows: MirrorRows): ProjectedDocument {
  const isCatalog = splitRef(key).kind === 'catalog-artist';
  const dependents = isCatalog ? [] : boundCatalogRefs(rows, key);
  if (!isKnownArtist(reads, key, rows)) return { key, document: null, dependents };
  return { key, document: isCatalog ? ofCatalogArtist(key, rows) : ofCluster(key, rows), dependents };
}

function ofCatalogArtist(key: SubjectRef, rows: MirrorRows): Document {
  const bound = boundCluster(rows, key);
  const cluster = bound === null ? null : subjectRef('artist', bound);
  const pages = knownPages(key, cluster, rows);
  return plainDocument(
    catalogIdentity({ key, cluster, pages }, rows),
    catalogLookupKeys({ key, cluster, pages }, rows),
  );
}

function ofCluster(key: SubjectRef, rows: MirrorRows): Document {
  const pages = knownPages(null, key, rows);
  return plainDocument(clusterIdentity(key, rows, pages), clusterLookupKeys(key, rows, pages));
}
