import { date, hex, int, nullable, text } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const festivalLineup = defineSource({
  table: 'seen.festival_lineup',
  owner: 'seen',
  subject: { kind: 'festival', column: 'festival_id' },
  alsoAbout: [{ kind: 'artist', column: 'artist_cluster_id' }],
  key: ['edition_id', 'artist_cluster_id'],
  cadence: 'weekly',
  tier: 'observed',
  columns: {
    edition_id: text(),
    festival_id: text(),
    artist_cluster_id: hex(),
    artist_name: text(),
    stage: nullable(text()),
    plays_on: nullable(date()),
    billing_order: nullable(int()),
  },
});
