import { CONTRACT_VERSION } from '../contract-version.ts';
import type { Dossier } from '../dossier.ts';
import { buildFacets } from '../facet.ts';
import { subjectRef } from '../projection.ts';
import { NO_ROWS } from '../rows.ts';
import { festival } from '../sources/seen/festival.ts';
import { facets } from './facets/index.ts';
import { FestivalRows } from './festival-rows.ts';

/** @param slug the festival's own, else the one that was asked for; in lower case */
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

/** The answer for a slug that no festival answers to: no identity, every facet an honest gap. */
export const unresolvedFestival = (slug: string): Dossier =>
  buildFestival(new FestivalRows(subjectRef('festival', slug), NO_ROWS, NO_ROWS), slug);
