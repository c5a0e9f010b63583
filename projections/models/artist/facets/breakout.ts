import { Type } from '@sinclair/typebox';
import { artistPressMentions } from '../../../contracts/archive/artist-press-mentions.ts';
import { artistMomentum } from '../../../contracts/seen/artist-momentum.ts';
import { fromSource } from '../../../engine/facet.ts';
import { defineArtistFacet } from '../facet.ts';

export const breakout = defineArtistFacet({
  name: 'breakout',
  sources: [artistMomentum, artistPressMentions],
  decidedBy: [artistMomentum],
  description: 'Whether the artist breaks out by bookings, and whether the press corroborates it.',
  member: 'signal',
  signals: Type.Object({
    emergenceTier: Type.String({ description: 'Tier of emergence: breakout or rising.' }),
    corroboration: fromSource(
      artistPressMentions,
      Type.String({ description: 'Whether bookings are corroborated by the press, or booking_ahead of it.' }),
    ),
    pressCount: fromSource(
      artistPressMentions,
      Type.Number({ description: 'Distinct pages of the press about the artist.' }),
    ),
  }),
  read(rows) {
    const tier = rows.one(artistMomentum)?.emergence_tier;
    if (tier !== 'breakout' && tier !== 'rising') return null;
    const pressCount = new Set(rows.all(artistPressMentions).map((mention) => mention.url)).size;
    return {
      emergenceTier: tier,
      corroboration: pressCount > 0 ? 'corroborated' : 'booking_ahead',
      pressCount,
    };
  },
});
