import { date, hex, int, oneOf, text } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const masterPropagationTimelineCluster = defineSource({
  table: 'seen.master_propagation_timeline_cluster',
  owner: 'seen',
  subject: { kind: 'artist', column: 'cluster_id' },
  alsoAbout: [{ kind: 'master', column: 'master_id' }],
  key: ['cluster_id', 'master_id', 'channel'],
  surface: {
    grain: 'cluster-multirow',
    order: [{ column: 'first_seen_at', direction: 'asc' }],
  },
  cadence: 'daily',
  tier: 'derived',
  columns: {
    cluster_id: hex(),
    master_id: int(),
    master_title: text(),
    channel: oneOf('dj', 'radio', 'press', 'collector'),
    first_seen_at: date(),
    latest_seen_at: date(),
    observations: int(),
  },
});
