import { hex, int, nullable } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const artistEmergenceLeadTime = defineSource({
  table: 'seen.artist_emergence_lead_time',
  owner: 'seen',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['cluster_id'],
  surface: { grain: 'cluster-row', order: [] },
  cadence: 'weekly',
  tier: 'derived',
  columns: {
    cluster_id: hex(),
    press_to_airplay_days: nullable(int()),
    underground_to_booking_days: nullable(int()),
  },
});
