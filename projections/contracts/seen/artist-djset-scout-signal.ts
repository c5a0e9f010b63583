import { date, hex, int, nullable, num } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const artistDjsetScoutSignal = defineSource({
  table: 'seen.artist_djset_scout_signal',
  owner: 'seen',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['cluster_id'],
  surface: { grain: 'cluster-row', order: [] },
  cadence: 'daily',
  tier: 'derived',
  columns: {
    cluster_id: hex(),
    distinct_scouts: int(),
    first_scouted_at: nullable(date()),
    latest_scouted_at: nullable(date()),
    scout_score: nullable(num()),
  },
});
