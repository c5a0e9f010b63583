import { ascending, sorted } from '../order.ts';
import { plainDocument } from '../plain-document.ts';
import type { Document, Projection, Read } from '../projection.ts';
import type { MirrorRows, SubjectRef } from '../rows.ts';
import { storefrontItem } from '../sources/storefront/item.ts';
import { storefrontTrack } from '../sources/storefront/track.ts';
import { trackAddresses } from '../track/addresses.ts';
import type { TrackDocument } from '../track/document.ts';
import { pageUrl } from '../web-address.ts';

const reads: readonly Read[] = [
  { source: storefrontItem, by: ['storefront-item'] },
  { source: storefrontTrack, by: ['storefront-item'] },
];

/** The tracks of one storefront release, looked up by title, by a part of it, with or without the artist. */
export const storefrontTrackProjection: Projection = {
  name: 'storefront-track',
  reads,
  keys: ['storefront-item'],
  async project(keys, readRows) {
    const rows = await readRows(reads, keys);
    return keys.map((key) => ({ key, document: documentOf(key, rows), touches: [] }));
  },
};

function documentOf(key: SubjectRef, rows: MirrorRows): Document | null {
  const tracks = sorted(
    rows.all(storefrontTrack, key),
    ascending((track) => track.track_no),
  );
  const addresses = trackAddresses(
    tracks.map(({ artist_name, title }) => ({ credit: artist_name, title, support: 0 })),
    true,
  );
  if (addresses.length === 0) return null;
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
  return plainDocument(value, addresses);
}
