import { date, hex, int, nullable, num } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const listenFlowByClusterV1 = defineSource({
  table: 'mirror.listen_flow_by_cluster_v1',
  owner: 'mirror',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['cluster_id', 'week'],
  surface: {
    grain: 'cluster-multirow',
    order: [{ column: 'week', direction: 'desc' }],
  },
  cadence: 'weekly',
  tier: 'observed',
  columns: {
    cluster_id: hex(),
    week: date(),
    listeners: int(),
    listens: int(),
    listens_delta: nullable(num()),
  },
});
