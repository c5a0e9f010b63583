import { date, hex, int, nullable, num, text } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const djTastemakerScore = defineSource({
  table: 'seen.dj_tastemaker_score',
  owner: 'seen',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['cluster_id'],
  surface: { grain: 'cluster-row', order: [] },
  cadence: 'daily',
  tier: 'derived',
  columns: {
    cluster_id: hex(),
    dj_name: text(),
    total_masters_played: int(),
    masters_played_first: int(),
    masters_played_within_7d: int(),
    cutting_edge_score: num(),
    first_play_at: nullable(date()),
    latest_play_at: nullable(date()),
  },
});
