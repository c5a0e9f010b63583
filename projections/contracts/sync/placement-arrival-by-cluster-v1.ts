import { date, hex, int, nullable } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const placementArrivalByClusterV1 = defineSource({
  table: 'sync.placement_arrival_by_cluster_v1',
  owner: 'sync',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['cluster_id'],
  surface: { grain: 'cluster-row', order: [] },
  cadence: 'daily',
  tier: 'derived',
  columns: {
    cluster_id: hex(),
    first_placement_at: nullable(date()),
    latest_placement_at: nullable(date()),
    placement_count: int(),
    distinct_productions: int(),
  },
});
