import { date, hex, int } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const artistMentionDaily = defineSource({
  table: 'archive_api_v1.artist_mention_daily',
  owner: 'archive',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['cluster_id', 'day'],
  surface: {
    grain: 'cluster-multirow',
    order: [{ column: 'day', direction: 'desc' }],
  },
  cadence: 'daily',
  tier: 'observed',
  columns: {
    cluster_id: hex(),
    day: date(),
    mention_count: int(),
    outlet_count: int(),
  },
});
