import { Type } from '@sinclair/typebox';
import { fedBy } from '../../facet.ts';
import { artistPressMentions } from '../../sources/archive/artist-press-mentions.ts';
import { artistMomentum } from '../../sources/seen/artist-momentum.ts';
import { defineArtistFacet } from '../facet.ts';

export const breakout = defineArtistFacet({
  name: 'breakout',
  sources: [artistMomentum, artistPressMentions],
  decidedBy: { catalog: [artistMomentum], cluster: [artistMomentum] },
  description: 'Whether bookings say that the artist breaks out, and whether the press says so too.',
  member: 'signal',
  signals: Type.Object({
    emergenceTier: Type.String({ description: 'Tier of emergence: breakout or rising.' }),
    corroboration: fedBy(
      artistPressMentions,
      Type.String({ description: 'Whether bookings are corroborated by the press, or booking_ahead of it.' }),
    ),
    pressCount: fedBy(
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
