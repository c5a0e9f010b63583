import { boundCatalogRefs, boundCluster } from '../artist/lanes.ts';
import { isKnownArtist, readLanes } from '../artist/read-lanes.ts';
import { plainDocument } from '../plain-document.ts';
import {
  type Document,
  type Projected,
  type Projection,
  type Read,
  splitRef,
  subjectRef,
} from '../projection.ts';
import type { MirrorRows, SubjectRef } from '../rows.ts';
import { catalogArtist } from '../sources/catalog/artist.ts';
import { clusterAliasV1 } from '../sources/mirror/cluster-alias-v1.ts';
import { clusterAuthorityIdsV1 } from '../sources/mirror/cluster-authority-ids-v1.ts';
import { artistIdentityBridge } from '../sources/seen/artist-identity-bridge.ts';
import { artistWebPresence } from '../sources/seen/artist-web-presence.ts';
import { performingEntity } from '../sources/seen/performing-entity.ts';
import { spineArtistNamePublishedView } from '../sources/spine/spine-artist-name-published-view.ts';
import { catalogIdentity, clusterIdentity } from './answer.ts';
import { catalogClaims, clusterClaims } from './claims.ts';
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

/** Who an artist is, addressed by every name, structured id and page it answers to. */
export const identityProjection: Projection = {
  name: 'identity',
  reads,
  keys: ['artist', 'catalog-artist'],
  async project(keys, readRows) {
    const rows = await readLanes(reads, keys, readRows);
    return keys.map((key) => projectIdentity(key, rows));
  },
};

function projectIdentity(key: SubjectRef, rows: MirrorRows): Projected {
  const isCatalog = splitRef(key).kind === 'catalog-artist';
  const touches = isCatalog ? [] : boundCatalogRefs(rows, key);
  if (!isKnownArtist(reads, key, rows)) return { key, document: null, touches };
  return { key, document: isCatalog ? ofCatalogArtist(key, rows) : ofCluster(key, rows), touches };
}

function ofCatalogArtist(key: SubjectRef, rows: MirrorRows): Document {
  const bound = boundCluster(rows, key);
  const cluster = bound === null ? null : subjectRef('artist', bound);
  const pages = knownPages(key, cluster, rows);
  return plainDocument(catalogIdentity(key, cluster, rows, pages), catalogClaims(key, cluster, rows, pages));
}

function ofCluster(key: SubjectRef, rows: MirrorRows): Document {
  const pages = knownPages(null, key, rows);
  return plainDocument(clusterIdentity(key, rows, pages), clusterClaims(key, rows, pages));
}
