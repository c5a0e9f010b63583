import { bool, date, hex, int, num, oneOf } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const artistMomentum = defineSource({
  table: 'seen.artist_momentum',
  owner: 'seen',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['cluster_id'],
  surface: { grain: 'cluster-row', order: [] },
  cadence: 'daily',
  tier: 'derived',
  columns: {
    cluster_id: hex(),
    emergence_tier: oneOf('breakout', 'rising', 'climbing', 'steady'),
    momentum_tier: oneOf('breakout', 'rising', 'steady', 'cooling', 'dormant'),
    emergence_score: num(),
    momentum_score: num(),
    establishment_delta: num(),
    events_recent: int(),
    is_fresh_breakout: bool(),
    is_unsigned: bool(),
    as_of: date(),
  },
});
