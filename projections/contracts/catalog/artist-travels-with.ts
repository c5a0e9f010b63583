import { int, num, text } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const catalogArtistTravelsWith = defineSource({
  table: 'catalog.artist_travels_with',
  owner: 'catalog',
  subject: { kind: 'catalog-artist', column: 'catalog_artist_id' },
  key: ['catalog_artist_id', 'other_catalog_artist_id'],
  cadence: 'monthly',
  tier: 'derived',
  columns: {
    catalog_artist_id: int(),
    other_catalog_artist_id: int(),
    other_name: text(),
    other_slug: text(),
    affinity: num(),
    support: int(),
  },
});
