import { boundCatalogRefs } from '../artist/lanes.ts';
import { readLanes } from '../artist/read-lanes.ts';
import { plainDocument } from '../plain-document.ts';
import { type Projection, type Read, splitRef } from '../projection.ts';
import { artistPressMentions } from '../sources/archive/artist-press-mentions.ts';
import { catalogArtist } from '../sources/catalog/artist.ts';
import { clusterAliasV1 } from '../sources/mirror/cluster-alias-v1.ts';
import { artistCoEvent } from '../sources/seen/artist-co-event.ts';
import { artistEmergenceNarrativePublic } from '../sources/seen/artist-emergence-narrative-public.ts';
import { artistIdentityBridge } from '../sources/seen/artist-identity-bridge.ts';
import { artistMomentum } from '../sources/seen/artist-momentum.ts';
import { performingEntity } from '../sources/seen/performing-entity.ts';
import { spineArtistNamePublishedView } from '../sources/spine/spine-artist-name-published-view.ts';
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
 * What a preview says of an artist, one document a lane, under the keys of the artist dossier. It has no addresses of
 * its own: whom a name or slug means is the identity's and the dossier's to say.
 */
export const previewProjection: Projection = {
  name: 'preview',
  reads,
  keys: ['artist', 'catalog-artist'],
  async project(keys, readRows) {
    const rows = await readLanes(reads, keys, readRows);
    return keys.map((key) => {
      const teaser = teaserOf(key, rows);
      return {
        key,
        document: teaser && plainDocument(teaser, []),
        touches: splitRef(key).kind === 'artist' ? boundCatalogRefs(rows, key) : [],
      };
    });
  },
};
