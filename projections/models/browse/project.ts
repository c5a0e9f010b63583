import { catalogArtist } from '../../contracts/catalog/artist.ts';
import { catalogArtistBehavior } from '../../contracts/catalog/artist-behavior.ts';
import { artistIdentityBridge } from '../../contracts/seen/artist-identity-bridge.ts';
import { artistMomentum } from '../../contracts/seen/artist-momentum.ts';
import { plainDocument } from '../../engine/plain-document.ts';
import {
  type Document,
  type LookupKey,
  type Projection,
  type Read,
  splitRef,
  subjectRef,
} from '../../engine/projection.ts';
import type { MirrorRows, SubjectRef } from '../../engine/rows.ts';
import { boundCatalogRefs } from '../artist/lanes.ts';
import { certainCluster, type ListedArtist, listArtist } from './item.ts';
import { isListable, listKeys } from './list-keys.ts';

/** Connects catalogue artists with the clusters that may be bound to them. */
const bridges: readonly Read[] = [{ source: artistIdentityBridge, by: ['catalog-artist', 'artist'] }];

const reads: readonly Read[] = [
  { source: catalogArtist, by: ['catalog-artist'] },
  { source: catalogArtistBehavior, by: ['catalog-artist'] },
  { source: artistIdentityBridge, by: ['catalog-artist'] },
  { source: artistMomentum, by: ['artist'] },
];

/**
 * Artists of the catalogue as list items, one document each, with lookup keys for every list it is in: all artists, each
 * genre, each style, and each pair of both.
 */
export const browseProjection: Projection = {
  name: 'browse',
  version: 1,
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
        ? { key, document: documentOf(key, rows), dependents: [] }
        : { key, document: null, dependents: boundCatalogRefs(bound, key) },
    );
  },
};

const isCatalogKey = (key: SubjectRef): boolean => splitRef(key).kind === 'catalog-artist';

function documentOf(key: SubjectRef, rows: MirrorRows): Document | null {
  const listed = listArtist(key, rows);
  return listed && plainDocument(listed.item, lookupKeysOf(listed));
}

function lookupKeysOf({ item, momentum }: ListedArtist): LookupKey[] {
  const position = {
    tier: momentum?.emergence_tier ?? null,
    momentum: momentum?.momentum_score ?? 0,
    reach: item.owner_reach,
  };
  const genres = [null, ...[item.primary_genre].filter((genre) => genre !== null && isListable(genre))];
  const styles = [null, ...new Set(item.primary_styles.filter(isListable))];
  return genres
    .flatMap((genre) => styles.flatMap((style) => listKeys({ genre, style }, position)))
    .map((value) => ({ value, rank: 0, support: 0 }));
}
