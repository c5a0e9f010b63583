import { date, hex, int, nullable, num, text } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const storefrontArtistEmergence = defineSource({
  table: 'storefront.artist_emergence',
  owner: 'storefront',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['cluster_id'],
  cadence: 'daily',
  tier: 'derived',
  columns: {
    cluster_id: hex(),
    emergence_class: text(),
    demand_lead: num(),
    demand_ratio: nullable(num()),
    owner_reach: nullable(int()),
    wishlist_demand: nullable(int()),
    distinct_releases: nullable(int()),
    earliest_wished_at: nullable(date()),
  },
});
