import { date, hex, int, nullable, text, uuid } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const artistCoEvent = defineSource({
  table: 'seen.artist_co_event',
  owner: 'seen',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['cluster_id', 'other_name'],
  cadence: 'daily',
  tier: 'derived',
  columns: {
    cluster_id: hex(),
    other_cluster_id: nullable(hex()),
    other_catalog_artist_id: nullable(int()),
    other_mbid: nullable(uuid()),
    other_name: text(),
    other_slug: text(),
    co_event_count: int(),
    co_venue_count: int(),
    last_co_at: nullable(date()),
  },
});
