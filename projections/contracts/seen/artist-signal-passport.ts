import { date, hex, int, text } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const artistSignalPassport = defineSource({
  table: 'seen.artist_signal_passport',
  owner: 'seen',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['cluster_id', 'signal'],
  surface: {
    grain: 'cluster-multirow',
    order: [{ column: 'signal', direction: 'asc' }],
  },
  cadence: 'daily',
  tier: 'derived',
  columns: {
    cluster_id: hex(),
    signal: text(),
    producer: text(),
    first_seen_at: date(),
    last_seen_at: date(),
    observations: int(),
  },
});
