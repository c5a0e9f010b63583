import { int, list, nullable, text } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const catalogLabel = defineSource({
  table: 'catalog.label',
  owner: 'catalog',
  subject: { kind: 'catalog-label', column: 'catalog_label_id' },
  key: ['catalog_label_id'],
  cadence: 'monthly',
  tier: 'authority',
  columns: {
    catalog_label_id: int(),
    name: text(),
    slug: text(),
    parent_label: nullable(text()),
    profile: nullable(text()),
    urls: list(text()),
  },
});
