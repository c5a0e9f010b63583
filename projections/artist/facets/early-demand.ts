import { Type } from '@sinclair/typebox';
import { storefrontArtistGravity } from '../../sources/seen/storefront-artist-gravity.ts';
import { Count, count, floorWishes, orNull } from '../../values.ts';
import { defineArtistFacet } from '../facet.ts';

export const earlyDemand = defineArtistFacet({
  name: 'early_demand',
  sources: [storefrontArtistGravity],
  description: 'Who bought or wished for the artist on the storefront, and since when.',
  signals: Type.Object({
    ownerReach: Count,
    wishlistDemand: Count,
    earliestSupportedAt: orNull(Type.String({ format: 'date' })),
    earliestWishedAt: orNull(Type.String({ format: 'date' })),
    demandCoverage: orNull(Type.Number()),
    wishedCoverage: orNull(Type.Number()),
    alsoOwnDegree: orNull(Type.Number()),
  }),
  read(rows) {
    const row = rows.one(storefrontArtistGravity);
    return (
      row && {
        ownerReach: count(row.owner_reach),
        wishlistDemand: count(floorWishes(row.wishlist_demand)),
        earliestSupportedAt: row.earliest_supported_at,
        earliestWishedAt: row.earliest_wished_at,
        demandCoverage: row.demand_coverage,
        wishedCoverage: row.wished_coverage,
        alsoOwnDegree: row.also_own_degree,
      }
    );
  },
});
