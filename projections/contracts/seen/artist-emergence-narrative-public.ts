import { date, hex, text } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const artistEmergenceNarrativePublic = defineSource({
  table: 'seen.artist_emergence_narrative_public',
  owner: 'seen',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['cluster_id', 'transition_at'],
  surface: {
    grain: 'cluster-multirow',
    order: [{ column: 'transition_at', direction: 'asc' }],
  },
  cadence: 'daily',
  tier: 'derived',
  columns: {
    cluster_id: hex(),
    transition_at: date(),
    tier: text(),
    label: text(),
  },
});
