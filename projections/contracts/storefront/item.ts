import { bool, hex, int, intOneOf, json, list, nullable, num, text, ts } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const storefrontItem = defineSource({
  table: 'storefront.item',
  owner: 'storefront',
  subject: { kind: 'storefront-item', column: 'item_id' },
  alsoAbout: [{ kind: 'artist', column: 'cluster_id' }],
  key: ['item_id'],
  cadence: 'daily',
  tier: 'observed',
  columns: {
    item_id: text(),
    cluster_id: hex(),
    artist_name: text(),
    title: text(),
    album_url: text(),
    // No recording is older.
    release_date: nullable(ts({ from: '1860-01-01' })),
    label: nullable(text()),
    tags: list(text()),
    artwork_url: nullable(text()),
    price_type: nullable(intOneOf(1, 2)),
    about: nullable(text()),
    credits: nullable(text()),
    upc: nullable(text()),
    formats: nullable(json()),
    limited_edition: nullable(bool()),
    smallest_edition_size: nullable(int()),
    units_remaining: nullable(int()),
    low_stock: nullable(bool()),
    scarcity_score: nullable(num()),
    distinct_wishers: nullable(int()),
    wishlist_demand: nullable(int()),
  },
});
