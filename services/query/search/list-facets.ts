import { NO_QUADRANT, UNKNOWN } from '../../../projections/search/columns.ts';
import { type ListFacet, listFacets } from '../../../projections/search/facets.ts';
import type { ValueCount } from './count-facets.ts';
import type { StoredSegment } from './stored-segment.ts';

/** The values of a generation that can be filtered by, the most frequent first; years and quadrants in their order. */
export interface FacetList {
  readonly takenAt: Date;
  readonly values: Readonly<Record<ListFacet, readonly ValueCount[]>>;
  readonly years: readonly ValueCount[];
  readonly quadrants: readonly ValueCount[];
}

/** Labels that are listed; there may be hundreds of thousands. */
export const MOST_LISTED = 1_000;
const YEARS = { from: 1900, to: 2100 };

export function listFacetValues({ values, columns }: StoredSegment, takenAt: Date): FacetList {
  const byFacet = Map.groupBy(values, ({ facet }) => facet);
  const lists = listFacets.map((facet): [ListFacet, ValueCount[]] => {
    const counts = (byFacet.get(facet) ?? []).map(({ value, documents }) => ({ value, count: documents }));
    counts.sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
    return [facet, facet === 'label' ? counts.slice(0, MOST_LISTED) : counts];
  });
  return {
    takenAt,
    values: Object.fromEntries(lists) as Record<ListFacet, ValueCount[]>,
    years: countsOf(columns.years, UNKNOWN)
      .filter(([year]) => year >= YEARS.from && year <= YEARS.to)
      .map(([year, count]) => ({ value: String(year), count })),
    quadrants: countsOf(columns.quadrants, NO_QUADRANT).map(([quadrant, count]) => ({
      value: quadrant.toString(2).padStart(3, '0'),
      count,
    })),
  };
}

/** How often each number occurs, the least first. */
function countsOf(column: Int32Array | Uint8Array, unknown: number): [number: number, count: number][] {
  const counts = new Map<number, number>();
  for (let rank = 0; rank < column.length; rank++) {
    const number = column[rank] ?? unknown;
    if (number !== unknown) counts.set(number, (counts.get(number) ?? 0) + 1);
  }
  return [...counts].sort(([a], [b]) => a - b);
}
