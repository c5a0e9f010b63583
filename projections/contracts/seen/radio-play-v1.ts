import { hex, nullable, text, ts } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const radioPlayV1 = defineSource({
  table: 'seen.radio_play_v1',
  owner: 'seen',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['play_id'],
  surface: {
    grain: 'cluster-multirow',
    order: [{ column: 'played_at', direction: 'desc' }],
  },
  cadence: 'hourly',
  tier: 'observed',
  columns: {
    cluster_id: hex(),
    play_id: text(),
    station: text(),
    country: nullable(text()),
    title: text(),
    recording_cluster_id: nullable(hex()),
    dj_name: nullable(text()),
    // No station is older.
    played_at: ts({ from: '1920-01-01' }),
  },
});
