import { date, int, nullable, num, text } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const catalogMarketplaceWeekly = defineSource({
  table: 'catalog.marketplace_weekly',
  owner: 'catalog',
  subject: { kind: 'catalog-artist', column: 'catalog_artist_id' },
  key: ['catalog_artist_id', 'snapshot_date'],
  cadence: 'weekly',
  tier: 'observed',
  columns: {
    catalog_artist_id: int(),
    snapshot_date: date(),
    currency: text(),
    priced_releases: int(),
    copies_for_sale: int(),
    market_floor: num(),
    typical_sale: num(),
    historical_ceiling: nullable(num()),
  },
});
