import { Type } from '@sinclair/typebox';
import { storefrontArtistGravity } from '../../../contracts/seen/storefront-artist-gravity.ts';
import { areFewWishes, Count, count, floorWishes, orNull } from '../../../engine/values.ts';
import { defineArtistFacet } from '../facet.ts';

export const earlyDemand = defineArtistFacet({
  name: 'early_demand',
  sources: [storefrontArtistGravity],
  description: 'Who bought or wished for the artist on the storefront, and since when.',
  signals: Type.Object({
    ownerReach: Type.Object(Count.properties, { description: 'Fans who bought a release of the artist.' }),
    wishlistDemand: Type.Object(Count.properties, {
      description: 'Fans who wish for a release of the artist, fewer than five of them reported as 0.',
    }),
    earliestSupportedAt: orNull(
      Type.String({ format: 'date', description: 'Day of the earliest known purchase; null where unknown.' }),
    ),
    earliestWishedAt: orNull(
      Type.String({
        format: 'date',
        description: 'Day of the earliest known wish; null where unknown, and for fewer than five wishes.',
      }),
    ),
    demandCoverage: orNull(
      Type.Number({ description: 'How much of the buying is known with its day; null where unknown.' }),
    ),
    wishedCoverage: orNull(
      Type.Number({
        description:
          'How much of the wishing is known with its day; null where unknown, and for fewer than five wishes.',
      }),
    ),
    alsoOwnDegree: orNull(
      Type.Number({ description: 'Other artists whom the same fans bought; null where unknown.' }),
    ),
  }),
  read(rows) {
    const row = rows.one(storefrontArtistGravity);
    if (row === null) return null;
    const areFew = areFewWishes(row.wishlist_demand);
    return {
      ownerReach: count(row.owner_reach),
      wishlistDemand: count(floorWishes(row.wishlist_demand)),
      earliestSupportedAt: row.earliest_supported_at,
      earliestWishedAt: areFew ? null : row.earliest_wished_at,
      demandCoverage: row.demand_coverage,
      wishedCoverage: areFew ? null : row.wished_coverage,
      alsoOwnDegree: row.also_own_degree,
    };
  },
});
