import { date, hex, int, nullable, text } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const artistWebPresence = defineSource({
  table: 'seen.artist_web_presence',
  owner: 'seen',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['cluster_id'],
  cadence: 'weekly',
  tier: 'observed',
  columns: {
    cluster_id: hex(),
    storefront_url: nullable(text()),
    audioshare_url: nullable(text()),
    photoshare_url: nullable(text()),
    website_url: nullable(text()),
    streaming_url: nullable(text()),
    videoshare_url: nullable(text()),
    listing_status: nullable(text()),
    country: nullable(text()),
    first_event_at: nullable(date()),
    catalog_artist_id_claimed: nullable(int()),
    follower_count: nullable(int()),
  },
});
