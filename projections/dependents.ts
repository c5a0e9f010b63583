import type { Source } from './contracts/contract.ts';
import type { Facet } from './engine/facet.ts';
import { projections } from './index.ts';
import { facets as artistFacets } from './models/artist/facets/index.ts';
import { facets as festivalFacets } from './models/festival/facets/index.ts';
import { facets as labelFacets } from './models/label/facets/index.ts';
import { facets as masterFacets } from './models/master/facets/index.ts';

/** The facets of each dossier, by its read model. */
const FACETS: Readonly<Record<string, readonly Pick<Facet, 'name' | 'sources'>[]>> = {
  artist: artistFacets,
  festival: festivalFacets,
  label: labelFacets,
  master: masterFacets,
};

/** What depends on the rows of a source, as it is declared: by table, not by column. */
export interface Dependents {
  /** Read models that read the source. */
  readonly readModels: readonly string[];
  /** As `artist.emergence`. */
  readonly facets: readonly string[];
  /** Whether the API serves its rows as they are. */
  readonly isSurface: boolean;
}

export const dependentsOf = (source: Source): Dependents => ({
  readModels: projections.flatMap(({ name, reads }) =>
    reads.some((read) => read.source === source) ? [name] : [],
  ),
  facets: Object.entries(FACETS).flatMap(([dossier, facets]) =>
    facets.flatMap(({ name, sources }) => (sources.includes(source) ? [`${dossier}.${name}`] : [])),
  ),
  isSurface: source.surface !== null,
});
