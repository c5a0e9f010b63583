import { date, hex, nullable, text } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const clusterAliasV1 = defineSource({
  table: 'mirror.cluster_alias_v1',
  owner: 'mirror',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['cluster_id', 'alias'],
  surface: {
    grain: 'cluster-multirow',
    order: [{ column: 'alias', direction: 'asc' }],
  },
  cadence: 'daily',
  tier: 'authority',
  columns: {
    cluster_id: hex(),
    alias: text(),
    source: text(),
    first_seen_at: nullable(date()),
  },
});
