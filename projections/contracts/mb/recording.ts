import { hex, int, list, nullable, text, uuid } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const mbRecording = defineSource({
  table: 'mb.recording',
  owner: 'mb',
  subject: { kind: 'recording', column: 'cluster_id' },
  alsoAbout: [{ kind: 'artist', column: 'artist_cluster_id' }],
  key: ['recording_mbid'],
  cadence: 'monthly',
  tier: 'authority',
  columns: {
    recording_mbid: uuid(),
    cluster_id: hex(),
    artist_cluster_id: hex(),
    artist_credit: text(),
    title: text(),
    length_ms: nullable(int()),
    isrcs: list(text()),
    release_count: int(),
    first_release_date: nullable(text()),
  },
});
