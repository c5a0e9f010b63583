import { storefrontItem } from '../../contracts/storefront/item.ts';
import { storefrontTrack } from '../../contracts/storefront/track.ts';
import { ascending, sorted } from '../../engine/order.ts';
import { plainDocument } from '../../engine/plain-document.ts';
import type { Document, Projection, Read } from '../../engine/projection.ts';
import type { MirrorRows, SubjectRef } from '../../engine/rows.ts';
import { pageUrl } from '../shared/web-url.ts';
import type { TrackDocument } from '../track/document.ts';
import { trackLookupKeys } from '../track/lookup-keys.ts';
import { titleIndexes } from '../track/title-index.ts';

const reads: readonly Read[] = [
  { source: storefrontItem, by: ['storefront-item'] },
  { source: storefrontTrack, by: ['storefront-item'] },
];

/** Tracks of one storefront release, found by title or part of it, with or without the artist. */
export const storefrontTrackProjection: Projection = {
  name: 'storefront-track',
  version: 1,
  reads,
  keys: ['storefront-item'],
  lookupIndexes: titleIndexes('storefront'),
  async project(keys, readRows) {
    const rows = await readRows(reads, keys);
    return keys.map((key) => ({ key, document: documentOf(key, rows), dependents: [] }));
  },
};

function documentOf(key: SubjectRef, rows: MirrorRows): Document | null {
  const tracks = sorted(
    rows.all(storefrontTrack, key),
    ascending((track) => track.track_no),
  );
  const lookupKeys = trackLookupKeys(
    tracks.map(({ artist_name, title }) => ({ credit: artist_name, title, support: 0 })),
    true,
  );
  if (lookupKeys.length === 0) return null;
  const value: TrackDocument = {
    release: rows.one(storefrontItem, key)?.title ?? null,
    tracks: tracks.map((track) => ({
      artist: track.cluster_id,
      credit: track.artist_name,
      title: track.title,
      length_ms: track.duration_ms,
      url: pageUrl(track.track_url),
    })),
  };
  return plainDocument(value, lookupKeys);
}
