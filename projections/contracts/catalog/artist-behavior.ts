import { int, list, nullable, num, text } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const catalogArtistBehavior = defineSource({
  table: 'catalog.artist_behavior',
  owner: 'catalog',
  subject: { kind: 'catalog-artist', column: 'catalog_artist_id' },
  key: ['catalog_artist_id'],
  cadence: 'monthly',
  tier: 'observed',
  columns: {
    catalog_artist_id: int(),
    owner_reach: nullable(int()),
    wantlist_demand: nullable(int()),
    collector_coownership: nullable(num()),
    community_footprint: nullable(num()),
    work_count: nullable(int()),
    master_count_with_genre: nullable(int()),
    primary_genre: nullable(text()),
    primary_styles: list(text()),
  },
});
