import { Type } from '@sinclair/typebox';
import { liveDemand as liveDemandSource } from '../../sources/seen/live-demand.ts';
import { orNull } from '../../values.ts';
import { defineArtistFacet } from '../facet.ts';

export const liveDemand = defineArtistFacet({
  name: 'live_demand',
  sources: [liveDemandSource],
  description: 'How well the artist fills rooms, and how early events sell out.',
  signals: Type.Object({
    demandTier: Type.String(),
    demandMomentumScore: orNull(Type.Number()),
    avgFillFraction: orNull(Type.Number({ description: '0 to 1.' })),
    maxSoldOutLeadDays: orNull(Type.Number()),
    eventsTracked: Type.Number(),
    eventsSoldOut: Type.Number(),
    distinctProviders: Type.Number(),
    distinctPromoters: Type.Number(),
  }),
  read(rows) {
    const row = rows.one(liveDemandSource);
    return (
      row && {
        demandTier: row.demand_tier,
        demandMomentumScore: row.demand_momentum_score,
        avgFillFraction: row.avg_fill_fraction,
        maxSoldOutLeadDays: row.max_sold_out_lead_days,
        eventsTracked: row.events_tracked,
        eventsSoldOut: row.events_sold_out,
        distinctProviders: row.distinct_providers,
        distinctPromoters: row.distinct_promoters,
      }
    );
  },
});
