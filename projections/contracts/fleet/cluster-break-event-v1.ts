import { date, hex, text } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const clusterBreakEventV1 = defineSource({
  table: 'fleet.cluster_break_event_v1',
  owner: 'fleet',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['cluster_id'],
  cadence: 'daily',
  tier: 'derived',
  columns: {
    cluster_id: hex(),
    break_event_at: date(),
    kind: text(),
  },
});
