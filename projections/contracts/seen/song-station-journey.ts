import { date, hex, int, nullable, text } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const songStationJourney = defineSource({
  table: 'seen.song_station_journey',
  owner: 'seen',
  subject: { kind: 'recording', column: 'cluster_id' },
  key: ['cluster_id', 'station'],
  surface: {
    grain: 'cluster-multirow',
    order: [{ column: 'first_played_at', direction: 'asc' }],
  },
  cadence: 'daily',
  tier: 'observed',
  columns: {
    cluster_id: hex(),
    title: text(),
    artist_name: text(),
    station: text(),
    country: nullable(text()),
    first_played_at: date(),
    latest_played_at: date(),
    play_count: int(),
  },
});
