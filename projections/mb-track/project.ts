import { plainDocument, supportOf } from '../plain-document.ts';
import type { Document, Projection, Read } from '../projection.ts';
import type { MirrorRows, SubjectRef } from '../rows.ts';
import { mbRecording } from '../sources/mb/recording.ts';
import { trackAddresses } from '../track/addresses.ts';
import type { TrackDocument } from '../track/document.ts';

const reads: readonly Read[] = [{ source: mbRecording, by: ['recording'] }];

/** The recordings of one name, as tracks that are looked up by title, by a part of it, or by artist and title. */
export const mbTrackProjection: Projection = {
  name: 'mb-track',
  reads,
  keys: ['recording'],
  async project(keys, readRows) {
    const rows = await readRows(reads, keys);
    return keys.map((key) => ({ key, document: documentOf(key, rows), touches: [] }));
  },
};

function documentOf(key: SubjectRef, rows: MirrorRows): Document | null {
  const recordings = rows.all(mbRecording, key);
  const addresses = trackAddresses(
    recordings.map(({ artist_credit, title, release_count }) => ({
      credit: artist_credit,
      title,
      support: supportOf(release_count),
    })),
    false,
  );
  if (addresses.length === 0) return null;
  const value: TrackDocument = {
    tracks: recordings.map((recording) => ({
      artist: recording.artist_cluster_id,
      credit: recording.artist_credit,
      title: recording.title,
      length_ms: recording.length_ms,
      releases: Math.max(recording.release_count, 0),
    })),
  };
  return plainDocument(value, addresses);
}
