import { hex, int, nullable, num, text } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const artistPrimaryGeography = defineSource({
  table: 'seen.artist_primary_geography',
  owner: 'seen',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['cluster_id'],
  surface: { grain: 'cluster-row', order: [] },
  cadence: 'weekly',
  tier: 'derived',
  columns: {
    cluster_id: hex(),
    country: text(),
    city: nullable(text()),
    share: num(),
    events_counted: int(),
  },
});
