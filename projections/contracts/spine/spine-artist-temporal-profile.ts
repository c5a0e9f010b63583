import { hex, int, list, nullable } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const spineArtistTemporalProfile = defineSource({
  table: 'public.spine_artist_temporal_profile',
  owner: 'spine',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['cluster_id'],
  surface: { grain: 'cluster-row', order: [], subjectName: 'cluster_id_hex' },
  cadence: 'weekly',
  tier: 'derived',
  columns: {
    cluster_id: hex(),
    resolved_artist_catalog_id: nullable(int()),
    master_count_with_year: nullable(int()),
    earliest_release_year: nullable(int()),
    latest_release_year: nullable(int()),
    year_span: nullable(int()),
    active_decades: nullable(list(int())),
  },
});
