import { date, hex, int, nullable } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const artistDjsetFirstAppearance = defineSource({
  table: 'seen.artist_djset_first_appearance',
  owner: 'seen',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['cluster_id'],
  surface: { grain: 'cluster-row', order: [] },
  cadence: 'daily',
  tier: 'derived',
  columns: {
    cluster_id: hex(),
    first_djset_date: nullable(date()),
    latest_djset_date: nullable(date()),
    djset_count: int(),
    distinct_djs: int(),
  },
});
