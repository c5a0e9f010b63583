import { int, list, nullable, text } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const catalogLabelBehavior = defineSource({
  table: 'catalog.label_behavior',
  owner: 'catalog',
  subject: { kind: 'catalog-label', column: 'catalog_label_id' },
  key: ['catalog_label_id'],
  cadence: 'monthly',
  tier: 'observed',
  columns: {
    catalog_label_id: int(),
    owner_reach: nullable(int()),
    release_count: nullable(int()),
    artist_count: nullable(int()),
    first_year: nullable(int()),
    latest_year: nullable(int()),
    primary_genre: nullable(text()),
    primary_styles: list(text()),
  },
});
