import { date, hex, int, nullable } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const labelDjsetMomentum = defineSource({
  table: 'seen.label_djset_momentum',
  owner: 'seen',
  subject: { kind: 'label', column: 'cluster_id' },
  key: ['cluster_id'],
  surface: { grain: 'cluster-row', order: [] },
  cadence: 'daily',
  tier: 'derived',
  columns: {
    cluster_id: hex(),
    play_count: int(),
    distinct_djs: int(),
    distinct_artists: int(),
    distinct_tracklists: int(),
    first_played_at: nullable(date()),
    last_played_at: nullable(date()),
    plays_last_365d: int(),
  },
});
