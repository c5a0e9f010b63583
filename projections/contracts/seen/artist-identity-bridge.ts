import { bool, hex, int, nullable, num, text, uuid } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const artistIdentityBridge = defineSource({
  table: 'seen.artist_identity_bridge',
  owner: 'seen',
  subject: { kind: 'artist', column: 'cluster_id' },
  alsoAbout: [{ kind: 'catalog-artist', column: 'catalog_artist_id' }],
  key: ['cluster_id'],
  surface: { grain: 'cluster-row', order: [] },
  cadence: 'daily',
  tier: 'authority',
  columns: {
    cluster_id: hex(),
    catalog_artist_id: nullable(int()),
    catalog_artist_id_count: int(),
    mbid: nullable(uuid()),
    is_exact: bool(),
    bind_method: text(),
    confidence: num(),
  },
});
