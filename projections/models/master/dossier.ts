import type { Dossier } from '../../engine/dossier.ts';
import { buildFacets } from '../../engine/facet.ts';
import { facets } from './facets/index.ts';
import type { MasterRows } from './master-rows.ts';

/** `object` of a release-group response. */
export const MASTER_OBJECT = 'master.dossier';

export function buildMaster(rows: MasterRows): Dossier {
  const { values, provenance } = buildFacets(facets, rows);
  return {
    members: { grain: 'master', ...values },
    provenance,
    within: { members: { object: MASTER_OBJECT, present: true }, name: 'master' },
  };
}
