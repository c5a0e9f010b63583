import { date, hex, nullable, text, ts } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const placementClaimByClusterV1 = defineSource({
  table: 'sync.placement_claim_by_cluster_v1',
  owner: 'sync',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['claim_id'],
  surface: {
    grain: 'cluster-multirow',
    order: [{ column: 'claimed_at', direction: 'desc' }],
  },
  cadence: 'daily',
  tier: 'observed',
  columns: {
    cluster_id: hex(),
    claim_id: text(),
    work_title: text(),
    production_title: text(),
    production_kind: text(),
    aired_at: nullable(date()),
    claimed_at: ts(),
    source: text(),
  },
});
