import { date, hex, int, nullable } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const clusterArrivalWideV1 = defineSource({
  table: 'fleet.cluster_arrival_wide_v1',
  owner: 'fleet',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['cluster_id'],
  surface: { grain: 'cluster-row', order: [] },
  cadence: 'daily',
  tier: 'derived',
  columns: {
    cluster_id: hex(),
    booking_at: nullable(date()),
    radio_at: nullable(date()),
    press_at: nullable(date()),
    djset_at: nullable(date()),
    storefront_at: nullable(date()),
    sync_at: nullable(date()),
    listening_at: nullable(date()),
    dimension_count: int(),
  },
});
