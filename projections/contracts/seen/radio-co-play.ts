import { date, hex, int, nullable, text } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const radioCoPlay = defineSource({
  table: 'seen.radio_co_play',
  owner: 'seen',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['cluster_id', 'other_cluster_id'],
  surface: {
    grain: 'cluster-edge-list',
    order: [{ column: 'co_play_count', direction: 'desc' }],
  },
  cadence: 'daily',
  tier: 'derived',
  columns: {
    cluster_id: hex(),
    other_cluster_id: hex(),
    other_name: text(),
    co_play_count: int(),
    distinct_stations: int(),
    last_co_play_at: nullable(date()),
  },
});
