import { int } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const mbArtistRightsRollup = defineSource({
  table: 'mb.artist_rights_rollup',
  owner: 'mb',
  subject: { kind: 'catalog-artist', column: 'catalog_artist_id' },
  key: ['catalog_artist_id'],
  cadence: 'monthly',
  tier: 'authority',
  columns: {
    catalog_artist_id: int(),
    distinct_recordings: int(),
    recordings_with_isrc: int(),
    distinct_isrcs: int(),
    distinct_works: int(),
    works_with_iswc: int(),
  },
});
