import { hex, text } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const spineArtistNamePublishedView = defineSource({
  table: 'public.spine_artist_name_published_view',
  owner: 'spine',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['cluster_id'],
  surface: { grain: 'cluster-row', order: [] },
  cadence: 'daily',
  tier: 'authority',
  columns: {
    cluster_id: hex(),
    published_name: text(),
    slug: text(),
    display: text(),
  },
});
