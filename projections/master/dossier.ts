import type { Dossier } from '../dossier.ts';
import { buildFacets } from '../facet.ts';
import { facets } from './facets/index.ts';
import type { MasterRows } from './master-rows.ts';

/** What an answer about a release group says it is. */
export const MASTER_OBJECT = 'master.dossier';

export function buildMaster(rows: MasterRows): Dossier {
  const { values, provenance } = buildFacets(facets, rows);
  return {
    members: { grain: 'master', ...values },
    provenance,
    within: { members: { object: MASTER_OBJECT, present: true }, name: 'master' },
  };
}
