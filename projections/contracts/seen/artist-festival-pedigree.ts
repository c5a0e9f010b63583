import { hex, int, nullable, num } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const artistFestivalPedigree = defineSource({
  table: 'seen.artist_festival_pedigree',
  owner: 'seen',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['cluster_id'],
  cadence: 'weekly',
  tier: 'derived',
  columns: {
    cluster_id: hex(),
    culture_forward_festivals: int(),
    co_festival_count: nullable(int()),
    co_country_count: nullable(int()),
    five_factor_score: nullable(num()),
  },
});
