import { hex, int, nullable, num } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const storefrontArtistTastemakerQuality = defineSource({
  table: 'seen.storefront_artist_tastemaker_quality',
  owner: 'seen',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['cluster_id'],
  surface: { grain: 'cluster-row', order: [] },
  cadence: 'weekly',
  tier: 'derived',
  columns: {
    cluster_id: hex(),
    supporter_cohort_size: int(),
    aesq: num(),
    aesq_median: nullable(num()),
    aesq_rw: nullable(num()),
    mean_first_buyer_earliness: nullable(num()),
  },
});
