import { bool, int, nullable, partialDate, text, uuid } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const mbReleaseGroup = defineSource({
  table: 'mb.release_group',
  owner: 'mb',
  subject: { kind: 'catalog-artist', column: 'catalog_artist_id' },
  key: ['rg_mbid', 'catalog_artist_id'],
  cadence: 'monthly',
  tier: 'authority',
  columns: {
    rg_mbid: uuid(),
    catalog_artist_id: int(),
    is_exact_bind: bool(),
    title: text(),
    first_release_date: nullable(partialDate()),
    primary_type: nullable(text()),
  },
});
