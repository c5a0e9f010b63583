import { boundCatalogRefs } from '../artist/lanes.ts';
import { plainDocument } from '../plain-document.ts';
import {
  type Address,
  type Document,
  type Projection,
  type Read,
  splitRef,
  subjectRef,
} from '../projection.ts';
import type { MirrorRows, SubjectRef } from '../rows.ts';
import { catalogArtist } from '../sources/catalog/artist.ts';
import { catalogArtistBehavior } from '../sources/catalog/artist-behavior.ts';
import { artistIdentityBridge } from '../sources/seen/artist-identity-bridge.ts';
import { artistMomentum } from '../sources/seen/artist-momentum.ts';
import { certainCluster, type Listed, listArtist } from './item.ts';
import { addressesIn, isListable } from './places.ts';

/** By which catalogue artists, and the clusters that may be bound to them, are read. */
const bridges: readonly Read[] = [{ source: artistIdentityBridge, by: ['catalog-artist', 'artist'] }];

const reads: readonly Read[] = [
  { source: catalogArtist, by: ['catalog-artist'] },
  { source: catalogArtistBehavior, by: ['catalog-artist'] },
  { source: artistIdentityBridge, by: ['catalog-artist'] },
  { source: artistMomentum, by: ['artist'] },
];

/**
 * Every artist of the catalogue as lists show it, one document each, under an address for every list that it is in: of
 * all artists, of a genre, of a style, and of both together.
 */
export const browseProjection: Projection = {
  name: 'browse',
  reads,
  keys: ['catalog-artist'],
  async project(keys, readRows) {
    const bound = await readRows(bridges, keys);
    const clusters = keys.flatMap((key) => {
      const cluster = isCatalogKey(key) ? certainCluster(bound, key) : null;
      return cluster === null ? [] : [subjectRef('artist', cluster)];
    });
    const rows = await readRows(reads, [...keys.filter(isCatalogKey), ...clusters]);
    return keys.map((key) =>
      isCatalogKey(key)
        ? { key, document: documentOf(key, rows), touches: [] }
        : { key, document: null, touches: boundCatalogRefs(bound, key) },
    );
  },
};

const isCatalogKey = (key: SubjectRef): boolean => splitRef(key).kind === 'catalog-artist';

function documentOf(key: SubjectRef, rows: MirrorRows): Document | null {
  const listed = listArtist(key, rows);
  return listed && plainDocument(listed.item, addressesOf(listed));
}

function addressesOf({ item, momentum }: Listed): Address[] {
  const standing = {
    tier: momentum?.emergence_tier ?? null,
    momentum: momentum?.momentum_score ?? 0,
    reach: item.owner_reach,
  };
  const genres = [null, ...[item.primary_genre].filter((genre) => genre !== null && isListable(genre))];
  const styles = [null, ...new Set(item.primary_styles.filter(isListable))];
  return genres
    .flatMap((genre) => styles.flatMap((style) => addressesIn({ genre, style }, standing)))
    .map((address) => ({ address, rank: 0, support: 0 }));
}
