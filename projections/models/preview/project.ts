import { artistPressMentions } from '../../contracts/archive/artist-press-mentions.ts';
import { catalogArtist } from '../../contracts/catalog/artist.ts';
import { clusterAliasV1 } from '../../contracts/mirror/cluster-alias-v1.ts';
import { artistCoEvent } from '../../contracts/seen/artist-co-event.ts';
import { artistEmergenceNarrativePublic } from '../../contracts/seen/artist-emergence-narrative-public.ts';
import { artistIdentityBridge } from '../../contracts/seen/artist-identity-bridge.ts';
import { artistMomentum } from '../../contracts/seen/artist-momentum.ts';
import { performingEntity } from '../../contracts/seen/performing-entity.ts';
import { spineArtistNamePublishedView } from '../../contracts/spine/spine-artist-name-published-view.ts';
import { plainDocument } from '../../engine/plain-document.ts';
import { type Projection, type Read, splitRef } from '../../engine/projection.ts';
import { boundCatalogRefs } from '../artist/lanes.ts';
import { readLanes } from '../artist/read-lanes.ts';
import { teaserOf } from './teaser.ts';

const reads: readonly Read[] = [
  { source: catalogArtist, by: ['catalog-artist'] },
  { source: artistIdentityBridge, by: ['artist', 'catalog-artist'] },
  { source: performingEntity, by: ['artist'] },
  { source: spineArtistNamePublishedView, by: ['artist'] },
  { source: clusterAliasV1, by: ['artist'] },
  { source: artistMomentum, by: ['artist'] },
  { source: artistEmergenceNarrativePublic, by: ['artist'] },
  { source: artistCoEvent, by: ['artist'] },
  { source: artistPressMentions, by: ['artist'] },
];

/**
 * Teasers of artists, one document per lane, with the keys of the artist dossier. They have no lookup keys: the identity and
 * dossier read models resolve names and slugs.
 */
export const previewProjection: Projection = {
  name: 'preview',
  version: 1,
  reads,
  keys: ['artist', 'catalog-artist'],
  async project(keys, readRows) {
    const rows = await readLanes(reads, keys, readRows);
    return keys.map((key) => {
      const teaser = teaserOf(key, rows);
      return {
        key,
        document: teaser && plainDocument(teaser, []),
        dependents: splitRef(key).kind === 'artist' ? boundCatalogRefs(rows, key) : [],
      };
    });
  },
};
