import { Type } from '@sinclair/typebox';
import { storefrontArtistEmergence } from '../../../contracts/storefront/artist-emergence.ts';
import { areFewWishes, floorWishes, orNull } from '../../../engine/values.ts';
import { defineArtistFacet } from '../facet.ts';

export const storefrontEmergence = defineArtistFacet({
  name: 'storefront_emergence',
  sources: [storefrontArtistEmergence],
  description: 'Whether wishes on the storefront run ahead of sales.',
  signals: Type.Object({
    emergenceClass: Type.String({ description: 'Class of the artist by how far wishes run ahead of sales.' }),
    demandLead: Type.Number({ description: 'How far wishes run ahead of sales; higher is further.' }),
    demandRatio: orNull(
      Type.Number({
        description: 'Wishes in proportion to sales; null where unknown, and for fewer than five wishes.',
      }),
    ),
    ownerReach: orNull(
      Type.Number({ description: 'Fans who bought a release of the artist; null where unknown.' }),
    ),
    wishlistDemand: orNull(
      Type.Number({
        description:
          'Fans who wish for a release of the artist, fewer than five of them reported as 0; null where unknown.',
      }),
    ),
    distinctReleases: orNull(
      Type.Number({ description: 'Releases of the artist on the storefront; null where unknown.' }),
    ),
    earliestWishedAt: orNull(
      Type.String({
        format: 'date',
        description: 'Day of the earliest known wish; null where unknown, and for fewer than five wishes.',
      }),
    ),
  }),
  read(rows) {
    const row = rows.one(storefrontArtistEmergence);
    if (row === null) return null;
    const areFew = areFewWishes(row.wishlist_demand);
    return {
      emergenceClass: row.emergence_class,
      demandLead: row.demand_lead,
      // Together with the owners, the ratio would reveal the wishes.
      demandRatio: areFew ? null : row.demand_ratio,
      ownerReach: row.owner_reach,
      wishlistDemand: floorWishes(row.wishlist_demand),
      distinctReleases: row.distinct_releases,
      earliestWishedAt: areFew ? null : row.earliest_wished_at,
    };
  },
});
