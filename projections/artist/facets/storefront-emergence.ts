import { Type } from '@sinclair/typebox';
import { storefrontArtistEmergence } from '../../sources/storefront/artist-emergence.ts';
import { floorWishes, orNull } from '../../values.ts';
import { defineArtistFacet } from '../facet.ts';

export const storefrontEmergence = defineArtistFacet({
  name: 'storefront_emergence',
  sources: [storefrontArtistEmergence],
  description: 'Whether wishes on the storefront run ahead of sales.',
  signals: Type.Object({
    emergenceClass: Type.String(),
    demandLead: Type.Number(),
    demandRatio: orNull(Type.Number()),
    ownerReach: orNull(Type.Number()),
    wishlistDemand: orNull(Type.Number()),
    distinctReleases: orNull(Type.Number()),
    earliestWishedAt: orNull(Type.String({ format: 'date' })),
  }),
  read(rows) {
    const row = rows.one(storefrontArtistEmergence);
    return (
      row && {
        emergenceClass: row.emergence_class,
        demandLead: row.demand_lead,
        demandRatio: row.demand_ratio,
        ownerReach: row.owner_reach,
        wishlistDemand: floorWishes(row.wishlist_demand),
        distinctReleases: row.distinct_releases,
        earliestWishedAt: row.earliest_wished_at,
      }
    );
  },
});
