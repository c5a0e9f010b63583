import { festival } from '../../contracts/seen/festival.ts';
import { CONTRACT_VERSION } from '../../engine/contract-version.ts';
import type { Dossier } from '../../engine/dossier.ts';
import { buildFacets } from '../../engine/facet.ts';
import { subjectRef } from '../../engine/projection.ts';
import { NO_ROWS } from '../../engine/rows.ts';
import { facets } from './facets/index.ts';
import { FestivalRows } from './festival-rows.ts';

/** @param slug the festival's own, else the requested one; in lower case */
export function buildFestival(rows: FestivalRows, slug: string): Dossier {
  const { values, provenance } = buildFacets(facets, rows);
  const row = rows.one(festival);
  return {
    members: {
      contract_version: CONTRACT_VERSION,
      grain: 'festival',
      slug,
      display: row?.name ?? slug,
      id: row?.festival_id ?? null,
      ...values,
    },
    provenance,
  };
}

/** The dossier of an unknown slug: no identity, every facet an honest gap. */
export const unresolvedFestival = (slug: string): Dossier =>
  buildFestival(new FestivalRows(subjectRef('festival', slug), NO_ROWS, NO_ROWS), slug);
