import { date, hex, text } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const artistSignalKnownSince = defineSource({
  table: 'seen.artist_signal_known_since',
  owner: 'seen',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['cluster_id', 'signal'],
  surface: {
    grain: 'cluster-multirow',
    order: [{ column: 'known_since', direction: 'asc' }],
  },
  cadence: 'daily',
  tier: 'derived',
  columns: {
    cluster_id: hex(),
    signal: text(),
    known_since: date(),
  },
});
