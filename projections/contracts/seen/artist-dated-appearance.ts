import { date, hex, int, nullable, text } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const artistDatedAppearance = defineSource({
  table: 'seen.artist_dated_appearance',
  owner: 'seen',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['cluster_id', 'source_kind'],
  surface: {
    grain: 'cluster-multirow',
    order: [{ column: 'source_kind', direction: 'asc' }],
  },
  cadence: 'daily',
  tier: 'observed',
  columns: {
    cluster_id: hex(),
    source_kind: text(),
    first_appearance_date: nullable(date()),
    latest_appearance_date: nullable(date()),
    appearance_count: int(),
  },
});
