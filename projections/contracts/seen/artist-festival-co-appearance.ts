import { date, hex, int, nullable, text } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const artistFestivalCoAppearance = defineSource({
  table: 'seen.artist_festival_co_appearance',
  owner: 'seen',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['cluster_id', 'other_cluster_id'],
  surface: {
    grain: 'cluster-edge-list',
    order: [{ column: 'co_festival_count', direction: 'desc' }],
  },
  cadence: 'daily',
  tier: 'derived',
  columns: {
    cluster_id: hex(),
    other_cluster_id: hex(),
    other_name: text(),
    co_festival_count: int(),
    co_country_count: int(),
    last_co_at: nullable(date()),
  },
});
