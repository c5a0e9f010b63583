import { int, list, nullable, text } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const catalogArtist = defineSource({
  table: 'catalog.artist',
  owner: 'catalog',
  subject: { kind: 'catalog-artist', column: 'catalog_artist_id' },
  // Other artists' documents show the slug, and little else of the catalogue changes it.
  markedAs: 'catalog-entry',
  key: ['catalog_artist_id'],
  cadence: 'monthly',
  tier: 'authority',
  columns: {
    catalog_artist_id: int(),
    name: text(),
    slug: text(),
    realname: nullable(text()),
    profile: nullable(text()),
    urls: list(text()),
    aliases: list(text()),
  },
});
