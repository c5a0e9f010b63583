import { date, hex, int, nullable, text } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const djChampion = defineSource({
  table: 'seen.dj_champion',
  owner: 'seen',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['cluster_id', 'dj_cluster_id'],
  surface: {
    grain: 'cluster-edge-list',
    order: [{ column: 'plays', direction: 'desc' }],
  },
  cadence: 'daily',
  tier: 'derived',
  columns: {
    cluster_id: hex(),
    dj_cluster_id: hex(),
    dj_name: text(),
    plays: int(),
    first_play_at: date(),
    latest_play_at: date(),
    lead_days: nullable(int()),
  },
});
