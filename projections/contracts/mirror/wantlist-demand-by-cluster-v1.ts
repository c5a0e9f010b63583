import { date, hex, int, nullable } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const wantlistDemandByClusterV1 = defineSource({
  table: 'mirror.wantlist_demand_by_cluster_v1',
  owner: 'mirror',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['cluster_id'],
  surface: { grain: 'cluster-row', order: [], wishes: ['wantlist_demand'] },
  cadence: 'weekly',
  tier: 'observed',
  columns: {
    cluster_id: hex(),
    owner_reach: int(),
    wantlist_demand: int(),
    distinct_masters: int(),
    as_of: nullable(date()),
  },
});
