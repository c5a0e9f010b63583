import { date, hex, num } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const marketVsFlowDivergenceV1 = defineSource({
  table: 'mirror.market_vs_flow_divergence_v1',
  owner: 'mirror',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['cluster_id'],
  surface: { grain: 'cluster-row', order: [] },
  cadence: 'weekly',
  tier: 'derived',
  columns: {
    cluster_id: hex(),
    market_index: num(),
    flow_index: num(),
    divergence: num(),
    as_of: date(),
  },
});
