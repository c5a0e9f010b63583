import { date, hex, int, nullable, text } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const artistDossier = defineSource({
  table: 'seen.artist_dossier',
  owner: 'seen',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['cluster_id'],
  surface: { grain: 'cluster-row', order: [] },
  cadence: 'daily',
  tier: 'derived',
  columns: {
    cluster_id: hex(),
    events_total: int(),
    venues_total: int(),
    cities_total: int(),
    countries_total: int(),
    first_event_at: nullable(date()),
    latest_event_at: nullable(date()),
    headline: nullable(text()),
  },
});
