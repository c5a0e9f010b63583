import { hex, int } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const ledgerRightsByCluster = defineSource({
  table: 'ledger.rights_by_cluster',
  owner: 'ledger',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['cluster_id'],
  cadence: 'weekly',
  tier: 'authority',
  columns: {
    cluster_id: hex(),
    registered_works: int(),
    works_with_iswc: int(),
    distinct_cowriters: int(),
    cowriters_with_mbid: int(),
  },
});
