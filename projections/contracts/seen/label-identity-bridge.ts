import { bool, hex, int, nullable, text, uuid } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const labelIdentityBridge = defineSource({
  table: 'seen.label_identity_bridge',
  owner: 'seen',
  subject: { kind: 'label', column: 'cluster_id' },
  alsoAbout: [{ kind: 'catalog-label', column: 'catalog_label_id' }],
  key: ['cluster_id'],
  cadence: 'daily',
  tier: 'authority',
  columns: {
    cluster_id: hex(),
    name: text(),
    slug: text(),
    catalog_label_id: nullable(int()),
    catalog_label_id_count: int(),
    label_mbid: nullable(uuid()),
    storefront_url: nullable(text()),
    has_catalog: bool(),
    has_storefront: bool(),
    has_seen_momentum: bool(),
    has_editorial: bool(),
  },
});
