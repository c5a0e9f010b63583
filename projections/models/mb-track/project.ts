import { mbRecording } from '../../contracts/mb/recording.ts';
import { plainDocument, supportOf } from '../../engine/plain-document.ts';
import type { Document, Projection, Read } from '../../engine/projection.ts';
import type { MirrorRows, SubjectRef } from '../../engine/rows.ts';
import type { TrackDocument } from '../track/document.ts';
import { trackLookupKeys } from '../track/lookup-keys.ts';
import { titleIndexes } from '../track/title-index.ts';

const reads: readonly Read[] = [{ source: mbRecording, by: ['recording'] }];

/** Recordings of one name, as tracks found by title, by part of it, or by artist and title. */
export const mbTrackProjection: Projection = {
  name: 'mb-track',
  version: 1,
  reads,
  keys: ['recording'],
  lookupIndexes: titleIndexes('mb'),
  async project(keys, readRows) {
    const rows = await readRows(reads, keys);
    return keys.map((key) => ({ key, document: documentOf(key, rows), dependents: [] }));
  },
};

function documentOf(key: SubjectRef, rows: MirrorRows): Document | null {
  const recordings = rows.all(mbRecording, key);
  const lookupKeys = trackLookupKeys(
    recordings.map(({ artist_credit, title, release_count }) => ({
      credit: artist_credit,
      title,
      support: supportOf(release_count),
    })),
    false,
  );
  if (lookupKeys.length === 0) return null;
  const value: TrackDocument = {
    tracks: recordings.map((recording) => ({
      artist: recording.artist_cluster_id,
      credit: recording.artist_credit,
      title: recording.title,
      length_ms: recording.length_ms,
      releases: Math.max(recording.release_count, 0),
    })),
  };
  return plainDocument(value, lookupKeys);
}
