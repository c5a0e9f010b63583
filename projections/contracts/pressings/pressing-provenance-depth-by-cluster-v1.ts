import { hex, int, nullable, num } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const pressingProvenanceDepthByClusterV1 = defineSource({
  table: 'pressings.pressing_provenance_depth_by_cluster_v1',
  owner: 'pressings',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['cluster_id'],
  surface: { grain: 'cluster-row', order: [] },
  cadence: 'monthly',
  tier: 'derived',
  columns: {
    cluster_id: hex(),
    pressings_count: int(),
    plants_count: int(),
    countries_count: int(),
    earliest_pressing_year: nullable(int()),
    depth_score: nullable(num()),
  },
});
