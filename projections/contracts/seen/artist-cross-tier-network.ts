import { date, hex, int, nullable, text } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const artistCrossTierNetwork = defineSource({
  table: 'seen.artist_cross_tier_network',
  owner: 'seen',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['cluster_id', 'other_cluster_id'],
  surface: {
    grain: 'cluster-edge-list',
    order: [{ column: 'co_event_count', direction: 'desc' }],
  },
  cadence: 'daily',
  tier: 'derived',
  columns: {
    cluster_id: hex(),
    other_cluster_id: hex(),
    other_name: text(),
    other_tier: text(),
    co_event_count: int(),
    last_co_at: nullable(date()),
  },
});
