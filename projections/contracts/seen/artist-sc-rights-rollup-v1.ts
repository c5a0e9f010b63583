import { hex, int } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const artistScRightsRollupV1 = defineSource({
  table: 'seen.artist_sc_rights_rollup_v1',
  owner: 'seen',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['cluster_id'],
  surface: { grain: 'cluster-row', order: [] },
  cadence: 'weekly',
  tier: 'observed',
  columns: {
    cluster_id: hex(),
    tracks_with_isrc: int(),
    tracks_bound_to_work: int(),
    tracks_work_has_iswc: int(),
  },
});
