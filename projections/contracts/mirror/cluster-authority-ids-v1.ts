import { bool, hex, nullable, num, oneOf, text } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const clusterAuthorityIdsV1 = defineSource({
  table: 'mirror.cluster_authority_ids_v1',
  owner: 'mirror',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['cluster_id', 'scheme', 'value'],
  surface: {
    grain: 'cluster-multirow',
    order: [
      { column: 'scheme', direction: 'asc' },
      { column: 'value', direction: 'asc' },
    ],
  },
  cadence: 'daily',
  tier: 'authority',
  columns: {
    cluster_id: hex(),
    scheme: oneOf(
      'catalog',
      'mbid',
      'isni',
      'wikidata',
      'storefront',
      'audioshare',
      'photoshare',
      'streaming',
      'videoshare',
      'website',
    ),
    value: text(),
    url: nullable(text()),
    confidence: num(),
    verified: bool(),
  },
});
