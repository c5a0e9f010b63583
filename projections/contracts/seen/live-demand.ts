import { hex, int, nullable, num, text } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const liveDemand = defineSource({
  table: 'seen.live_demand',
  owner: 'seen',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['cluster_id'],
  surface: { grain: 'cluster-row', order: [] },
  cadence: 'hourly',
  tier: 'observed',
  columns: {
    cluster_id: hex(),
    demand_tier: text(),
    demand_momentum_score: nullable(num()),
    avg_fill_fraction: nullable(num()),
    max_sold_out_lead_days: nullable(int()),
    events_tracked: int(),
    events_sold_out: int(),
    distinct_providers: int(),
    distinct_promoters: int(),
  },
});
