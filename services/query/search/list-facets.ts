import { NO_QUADRANT, UNKNOWN } from '../../../projections/search/columns.ts';
import { type ListFacet, listFacets } from '../../../projections/search/facets.ts';
import { firstRanks, sizeOf } from '../../../projections/search/rank-set.ts';
import { countFacets } from './count-facets.ts';
import { type Matches, match } from './match.ts';
import type { ValueCount } from './most-frequent.ts';
import { searchQuery } from './query.ts';
import type { PartView } from './segment.ts';

/** The values that can be filtered by, the most frequent first; years and quadrants in their order. */
export interface FacetValues {
  readonly values: Readonly<Record<ListFacet, readonly ValueCount[]>>;
  /** Facets with more values than these. */
  readonly cut: readonly ListFacet[];
  readonly years: readonly ValueCount[];
  readonly quadrants: readonly ValueCount[];
}

export interface FacetList extends FacetValues {
  /** The moment as of which they are so. */
  readonly takenAt: Date;
}

/** Labels that are listed; there may be hundreds of thousands. */
export const MOST_LISTED = 1_000;
const YEARS = { from: 1900, to: 2100 };

const EVERYTHING = searchQuery('', {}, { offset: 0, limit: 0 });
const NOTHING_ASKED = { words: [], prefix: null, hashes: [], values: [] };
const ALL = {
  most: Number.POSITIVE_INFINITY,
  shown: (facet: ListFacet) => (facet === 'label' ? MOST_LISTED : Number.POSITIVE_INFINITY),
};

/** Counts every release group that a search would find. */
export function listFacetValues(parts: readonly PartView[]): FacetValues {
  const found = parts.map((part) => match(part, EVERYTHING, NOTHING_ASKED));
  const { counts, cut } = countFacets(found, ALL);
  return {
    values: counts,
    cut: listFacets.filter((facet) => cut.includes(facet)),
    years: countsOf(found, ({ years }) => years, UNKNOWN)
      .filter(([year]) => year >= YEARS.from && year <= YEARS.to)
      .map(([year, count]) => ({ value: String(year), count })),
    quadrants: countsOf(found, ({ quadrants }) => quadrants, NO_QUADRANT).map(([quadrant, count]) => ({
      value: quadrant.toString(2).padStart(3, '0'),
      count,
    })),
  };
}

type Columns = PartView['segment']['columns'];

/** How often each number occurs, the least first. */
function countsOf(
  found: readonly Matches[],
  columnOf: (columns: Columns) => Int32Array | Uint8Array,
  unknown: number,
): [number: number, count: number][] {
  const counts = new Map<number, number>();
  for (const { part, all } of found) {
    const column = columnOf(part.segment.columns);
    for (const rank of firstRanks(all, sizeOf(all))) {
      const number = column[rank] ?? unknown;
      if (number !== unknown) counts.set(number, (counts.get(number) ?? 0) + 1);
    }
  }
  return [...counts].sort(([a], [b]) => a - b);
}
