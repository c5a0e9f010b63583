import { Type } from '@sinclair/typebox';
import { artistMomentum } from '../../sources/seen/artist-momentum.ts';
import { defineArtistFacet } from '../facet.ts';

export const emergence = defineArtistFacet({
  name: 'emergence',
  sources: [artistMomentum],
  description: 'How fast bookings grow: tier and score of emergence and of momentum.',
  signals: Type.Object({
    emergenceTier: Type.String(),
    momentumTier: Type.String(),
    emergenceScore: Type.Number(),
    momentumScore: Type.Number(),
    establishmentDelta: Type.Number(),
    eventsRecent: Type.Number(),
    isFreshBreakout: Type.Boolean(),
    isUnsigned: Type.Boolean(),
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
