import { hex, int, nullable, num, text } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const artistBrokerage = defineSource({
  table: 'seen.artist_brokerage',
  owner: 'seen',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['cluster_id'],
  surface: { grain: 'cluster-row', order: [] },
  cadence: 'weekly',
  tier: 'derived',
  columns: {
    cluster_id: hex(),
    degree: int(),
    effective_size: nullable(num()),
    brokerage_score: nullable(num()),
    brokerage_tier: text(),
    ego_density: nullable(num()),
  },
});
