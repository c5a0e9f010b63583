import { Type } from '@sinclair/typebox';
import { liveDemand as liveDemandSource } from '../../../contracts/seen/live-demand.ts';
import { orNull } from '../../../engine/values.ts';
import { defineArtistFacet } from '../facet.ts';

export const liveDemand = defineArtistFacet({
  name: 'live_demand',
  sources: [liveDemandSource],
  description: 'How well the artist fills rooms, and how early events sell out.',
  signals: Type.Object({
    demandTier: Type.String({ description: 'Class of the artist by demand for tickets.' }),
    demandMomentumScore: orNull(
      Type.Number({ description: 'How fast demand grows; higher is faster; null where unknown.' }),
    ),
    avgFillFraction: orNull(
      Type.Number({ description: 'How full the rooms are on average, 0 to 1; null where unknown.' }),
    ),
    maxSoldOutLeadDays: orNull(
      Type.Number({
        description: 'Most days before an event that it sold out; null if none is known to have sold out.',
      }),
    ),
    eventsTracked: Type.Number({ description: 'Events with tracked ticket sales.' }),
    eventsSoldOut: Type.Number({ description: 'Tracked events that sold out.' }),
    distinctProviders: Type.Number({ description: 'Ticket sellers of the tracked events.' }),
    distinctPromoters: Type.Number({ description: 'Promoters of the tracked events.' }),
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
