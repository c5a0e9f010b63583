import { Type } from '@sinclair/typebox';
import { ascending, sorted } from '../../order.ts';
import { catalogMarketplaceWeekly } from '../../sources/catalog/marketplace-weekly.ts';
import { orNull } from '../../values.ts';
import { defineArtistFacet } from '../facet.ts';

export const marketplaceSupply = defineArtistFacet({
  name: 'marketplace_supply',
  sources: [catalogMarketplaceWeekly],
  description: "How many copies of the artist's releases are for sale second-hand, and at what prices.",
  signals: Type.Object({
    latest: Type.Object({
      snapshotDate: Type.String({ format: 'date' }),
      currency: Type.String({ description: 'ISO 4217.' }),
      pricedReleases: Type.Number(),
      copiesForSale: Type.Number(),
      marketFloor: Type.Number(),
      typicalSale: Type.Number({ description: 'Median.' }),
      historicalCeiling: orNull(Type.Number()),
    }),
    series: Type.Object({
      snapshots: Type.Number({ description: 'Weeks on file.' }),
      earliestSnapshotDate: Type.String({ format: 'date' }),
    }),
  }),
  read(rows) {
    const snapshots = sorted(
      rows.all(catalogMarketplaceWeekly),
      ascending((row) => row.snapshot_date),
    );
    const [earliest] = snapshots;
    const latest = snapshots.at(-1);
    // An artist not in the weekly crawl was not looked at, which is no sign of an empty market.
    if (earliest === undefined || latest === undefined) return 'honest_gap';
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
