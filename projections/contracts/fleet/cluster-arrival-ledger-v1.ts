import { date, hex, int, text } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const clusterArrivalLedgerV1 = defineSource({
  table: 'fleet.cluster_arrival_ledger_v1',
  owner: 'fleet',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['cluster_id', 'dimension'],
  surface: {
    grain: 'cluster-multirow',
    order: [{ column: 'first_arrived_at', direction: 'asc' }],
  },
  cadence: 'daily',
  tier: 'derived',
  columns: {
    cluster_id: hex(),
    dimension: text(),
    first_arrived_at: date(),
    latest_at: date(),
    producer: text(),
    evidence_count: int(),
  },
});
