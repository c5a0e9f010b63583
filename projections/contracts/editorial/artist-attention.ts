import { date, hex, int, nullable } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const editorialArtistAttention = defineSource({
  table: 'editorial.artist_attention',
  owner: 'editorial',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['cluster_id'],
  cadence: 'weekly',
  tier: 'observed',
  columns: {
    cluster_id: hex(),
    member_count: int(),
    source_repo_count: int(),
    first_observed_at: nullable(date()),
    latest_observed_at: nullable(date()),
  },
});
