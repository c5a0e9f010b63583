import { date, hex, int, nullable } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const artistAirplayFirstAppearance = defineSource({
  table: 'seen.artist_airplay_first_appearance',
  owner: 'seen',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['cluster_id'],
  surface: { grain: 'cluster-row', order: [] },
  cadence: 'daily',
  tier: 'derived',
  columns: {
    cluster_id: hex(),
    first_airplay_date: nullable(date()),
    latest_airplay_date: nullable(date()),
    airplay_count: int(),
    distinct_stations: int(),
    distinct_venues: int(),
    distinct_djs: int(),
  },
});
