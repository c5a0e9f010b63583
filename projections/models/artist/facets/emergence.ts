import { Type } from '@sinclair/typebox';
import { artistMomentum } from '../../../contracts/seen/artist-momentum.ts';
import { defineArtistFacet } from '../facet.ts';

export const emergence = defineArtistFacet({
  name: 'emergence',
  sources: [artistMomentum],
  description: 'How fast bookings grow: tier and score of emergence and of momentum.',
  signals: Type.Object({
    emergenceTier: Type.String({ description: 'Tier of emergence: breakout, rising, climbing or steady.' }),
    momentumTier: Type.String({
      description: 'Tier of momentum: breakout, rising, steady, cooling or dormant.',
    }),
    emergenceScore: Type.Number({ description: 'How strongly the artist emerges; higher is stronger.' }),
    momentumScore: Type.Number({
      description: 'How fast bookings grow; negative if they fall.',
    }),
    establishmentDelta: Type.Number({
      description: 'How much more established the artists met at events are; negative if less.',
    }),
    eventsRecent: Type.Number({ description: 'Events played in the recent period.' }),
    isFreshBreakout: Type.Boolean({ description: 'Whether the artist breaks out and is new to the stage.' }),
    isUnsigned: Type.Boolean({ description: 'Whether no label of the artist is known.' }),
  }),
  read(rows) {
    const row = rows.one(artistMomentum);
    return (
      row && {
        emergenceTier: row.emergence_tier,
        momentumTier: row.momentum_tier,
        emergenceScore: row.emergence_score,
        momentumScore: row.momentum_score,
        establishmentDelta: row.establishment_delta,
        eventsRecent: row.events_recent,
        isFreshBreakout: row.is_fresh_breakout,
        isUnsigned: row.is_unsigned,
      }
    );
  },
});
