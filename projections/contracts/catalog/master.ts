import { hex, int, json, list, nullable, text, uuid } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const catalogMaster = defineSource({
  table: 'catalog.master',
  owner: 'catalog',
  subject: { kind: 'master', column: 'master_id' },
  alsoAbout: [
    { kind: 'catalog-artist', column: 'catalog_artist_ids' },
    { kind: 'artist', column: 'artist_cluster_id' },
  ],
  key: ['master_id'],
  cadence: 'monthly',
  tier: 'authority',
  columns: {
    master_id: int(),
    title: text(),
    artist_display: text(),
    catalog_artist_ids: list(int()),
    artist_cluster_id: nullable(hex()),
    year: nullable(int()),
    genres: list(text()),
    styles: list(text()),
    formats: list(text()),
    country: nullable(text()),
    labels: list(text()),
    release_count: nullable(int()),
    rg_mbid: nullable(uuid()),
    tracklist: nullable(json()),
  },
});
