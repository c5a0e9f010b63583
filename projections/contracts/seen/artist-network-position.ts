import { hex, int, nullable, num } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const artistNetworkPosition = defineSource({
  table: 'seen.artist_network_position',
  owner: 'seen',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['cluster_id'],
  surface: { grain: 'cluster-row', order: [] },
  cadence: 'daily',
  tier: 'derived',
  columns: {
    cluster_id: hex(),
    degree: int(),
    weighted_degree: num(),
    recent_degree: int(),
    resolved_neighbour_ratio: nullable(num()),
    establishment_delta: nullable(num()),
    emerging_neighbours: int(),
  },
});
