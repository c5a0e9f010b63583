import { int, nullable, text } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const catalogMasterCube = defineSource({
  table: 'catalog.master_cube',
  owner: 'catalog',
  subject: { kind: 'master', column: 'master_id' },
  key: ['master_id'],
  cadence: 'weekly',
  tier: 'derived',
  columns: {
    master_id: int(),
    cube_quadrant: nullable(text()),
    owner_count: nullable(int()),
    dj_count: nullable(int()),
    critic_count: nullable(int()),
  },
});
