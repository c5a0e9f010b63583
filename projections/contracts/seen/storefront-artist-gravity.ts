import { date, hex, int, nullable, num } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const storefrontArtistGravity = defineSource({
  table: 'seen.storefront_artist_gravity',
  owner: 'seen',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['cluster_id'],
  surface: {
    grain: 'cluster-row',
    order: [],
    wishes: ['wishlist_demand'],
    revealsWishes: ['earliest_wished_at', 'wished_coverage'],
  },
  cadence: 'daily',
  tier: 'observed',
  columns: {
    cluster_id: hex(),
    owner_reach: int(),
    wishlist_demand: int(),
    earliest_supported_at: nullable(date()),
    earliest_wished_at: nullable(date()),
    demand_coverage: nullable(num()),
    wished_coverage: nullable(num()),
    also_own_degree: nullable(int()),
  },
});
