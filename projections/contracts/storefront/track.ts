import { hex, int, nullable, text } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const storefrontTrack = defineSource({
  table: 'storefront.track',
  owner: 'storefront',
  subject: { kind: 'storefront-item', column: 'item_id' },
  alsoAbout: [{ kind: 'artist', column: 'cluster_id' }],
  key: ['item_id', 'track_no'],
  cadence: 'daily',
  tier: 'observed',
  columns: {
    item_id: text(),
    track_no: int(),
    cluster_id: hex(),
    artist_name: text(),
    title: text(),
    duration_ms: nullable(int()),
    track_url: nullable(text()),
  },
});
