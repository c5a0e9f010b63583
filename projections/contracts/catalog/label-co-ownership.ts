import { hex, int, nullable, num, text } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const catalogLabelCoOwnership = defineSource({
  table: 'catalog.label_co_ownership',
  owner: 'catalog',
  subject: { kind: 'label', column: 'cluster_id' },
  key: ['cluster_id', 'other_cluster_id'],
  cadence: 'monthly',
  tier: 'derived',
  columns: {
    cluster_id: hex(),
    other_cluster_id: hex(),
    other_label_name: nullable(text()),
    npmi: num(),
    support: int(),
  },
});
