import { bool, date, hex, int, nullable } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const artistTierPresence = defineSource({
  table: 'seen.artist_tier_presence',
  owner: 'seen',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['cluster_id'],
  surface: { grain: 'cluster-row', order: [] },
  cadence: 'daily',
  tier: 'derived',
  columns: {
    cluster_id: hex(),
    spans_tiers: bool(),
    plays_clubs: bool(),
    plays_festivals: bool(),
    club_events: int(),
    festival_editions: int(),
    first_club_at: nullable(date()),
    last_club_at: nullable(date()),
    first_festival_at: nullable(date()),
    last_festival_at: nullable(date()),
  },
});
