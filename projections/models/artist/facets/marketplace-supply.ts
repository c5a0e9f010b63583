import { Type } from '@sinclair/typebox';
import { catalogMarketplaceWeekly } from '../../../contracts/catalog/marketplace-weekly.ts';
import { ascending, sorted } from '../../../engine/order.ts';
import { orNull } from '../../../engine/values.ts';
import { defineArtistFacet } from '../facet.ts';

export const marketplaceSupply = defineArtistFacet({
  name: 'marketplace_supply',
  sources: [catalogMarketplaceWeekly],
  // An artist outside the weekly crawl is unobserved, which does not mean an empty market.
  usable: (rows) => (rows.one(catalogMarketplaceWeekly) === null ? [] : [catalogMarketplaceWeekly]),
  description: "How many copies of the artist's releases are for sale second-hand, and at what prices.",
  signals: Type.Object({
    latest: Type.Object(
      {
        snapshotDate: Type.String({ format: 'date', description: 'Day of the snapshot.' }),
        currency: Type.String({ description: 'Currency of the prices, ISO 4217.' }),
        pricedReleases: Type.Number({ description: 'Releases that have a price.' }),
        copiesForSale: Type.Number({ description: 'Copies for sale, over all releases.' }),
        marketFloor: Type.Number({ description: 'Lowest price, in the currency.' }),
        typicalSale: Type.Number({ description: 'Median price, in the currency.' }),
        historicalCeiling: orNull(
          Type.Number({ description: 'Highest price ever seen, in the currency; null where unknown.' }),
        ),
      },
      { description: 'The newest weekly snapshot.' },
    ),
    series: Type.Object(
      {
        snapshots: Type.Number({ description: 'Weekly snapshots.' }),
        earliestSnapshotDate: Type.String({ format: 'date', description: 'Day of the earliest snapshot.' }),
      },
      { description: 'How far the snapshots reach back.' },
    ),
  }),
  read(rows) {
    const snapshots = sorted(
      rows.all(catalogMarketplaceWeekly),
      ascending((row) => row.snapshot_date),
    );
    const [earliest] = snapshots;
    const latest = snapshots.at(-1);
    if (earliest === undefined || latest === undefined) return null;
    return {
      latest: {
        snapshotDate: latest.snapshot_date,
        currency: latest.currency,
        pricedReleases: latest.priced_releases,
        copiesForSale: latest.copies_for_sale,
        marketFloor: latest.market_floor,
        typicalSale: latest.typical_sale,
        historicalCeiling: latest.historical_ceiling,
      },
      series: {
        snapshots: snapshots.length,
        earliestSnapshotDate: earliest.snapshot_date,
      },
    };
  },
});
