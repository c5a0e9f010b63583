import { hex, int, text, uuid } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const mbArtistWork = defineSource({
  table: 'mb.artist_work',
  owner: 'mb',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['cluster_id', 'work_mbid'],
  cadence: 'monthly',
  tier: 'authority',
  columns: {
    cluster_id: hex(),
    work_mbid: uuid(),
    work_name: text(),
    owner_reach: int(),
    version_collectors: int(),
    version_depth: int(),
    n_recordings_global: int(),
  },
});
