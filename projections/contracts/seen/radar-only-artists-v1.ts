import { date, hex, int, text } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const radarOnlyArtistsV1 = defineSource({
  table: 'seen.radar_only_artists_v1',
  owner: 'seen',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['cluster_id'],
  surface: { grain: 'cluster-row', order: [] },
  cadence: 'daily',
  tier: 'observed',
  columns: {
    cluster_id: hex(),
    name: text(),
    first_seen_at: date(),
    distinct_sources: int(),
    reason: text(),
  },
});
