import { Type } from '@sinclair/typebox';
import { artistNetworkPosition } from '../../../contracts/seen/artist-network-position.ts';
import { orNull } from '../../../engine/values.ts';
import { defineArtistFacet } from '../facet.ts';

export const networkPosition = defineArtistFacet({
  name: 'network_position',
  sources: [artistNetworkPosition],
  description: 'Position of the artist in the graph of shared events.',
  signals: Type.Object({
    degree: Type.Number({ description: 'Artists met at events.' }),
    weightedDegree: Type.Number({ description: 'Shared events, over all artists met.' }),
    recentDegree: Type.Number({ description: 'Artists met at events in the recent period.' }),
    resolvedNeighbourRatio: orNull(
      Type.Number({
        description: 'Share of the artists met that have a known identity, 0 to 1; null where unknown.',
      }),
    ),
    establishmentDelta: orNull(
      Type.Number({
        description: 'How much more established the artists met are; negative if less; null where unknown.',
      }),
    ),
  }),
  read(rows) {
    const row = rows.one(artistNetworkPosition);
    return (
      row && {
        degree: row.degree,
        weightedDegree: row.weighted_degree,
        recentDegree: row.recent_degree,
        resolvedNeighbourRatio: row.resolved_neighbour_ratio,
        establishmentDelta: row.establishment_delta,
      }
    );
  },
});
