import { NO_QUADRANT, UNKNOWN } from '../../../projections/models/search/columns.ts';
import { type ListFacet, listFacets } from '../../../projections/models/search/facets.ts';
import { firstRanks, sizeOf } from '../../../projections/models/search/rank-set.ts';
import { countFacets, type ValueCount } from './count-facets.ts';
import { type Matches, match, segmentQuery } from './match.ts';

import { foldedValue, searchQuery } from './query.ts';
import type { PartView } from './segment.ts';

/** All facet values, the most frequent first; years and quadrants in their own order. */
export interface FacetValues {
  readonly values: Readonly<Record<ListFacet, readonly ValueCount[]>>;
  /** Facets with further values. */
  readonly cut: readonly ListFacet[];
  readonly years: readonly ValueCount[];
  readonly quadrants: readonly ValueCount[];
}

/** The state of the index that facet values were counted in. */
export interface FacetState {
  /** Identifies the values: the same ones as long as it stays. */
  readonly state: string;
  /** The time that the values reflect. */
  readonly takenAt: Date;
}

export interface FacetList extends FacetState {
  readonly values: FacetValues;
}

/** Maximum listed labels; there may be hundreds of thousands. */
export const MOST_LISTED = 1_000;
/** Years that a filter accepts. */
export const YEARS = { from: 1900, to: 2100 };

const EVERYTHING = searchQuery('', {}, { offset: 0, limit: 0 });
const EMPTY_RESULT = { words: [], prefix: null, hashes: [], values: [] };
const ALL = {
  most: Number.POSITIVE_INFINITY,
  shown: (facet: ListFacet) => (facet === 'label' ? MOST_LISTED : Number.POSITIVE_INFINITY),
};

/** Counts the facet values of all release groups. */
export function listFacetValues(parts: readonly PartView[]): FacetValues {
  const found = parts.map((part) => match(part, EVERYTHING, EMPTY_RESULT));
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

/** The frequency of each number, sorted by number. */
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

/** A label in its commonest spelling; null if no release group has it. */
export async function findLabelIn(parts: readonly PartView[], name: string): Promise<string | null> {
  const query = searchQuery('', { label: [name] }, { offset: 0, limit: 0 });
  const lookups = segmentQuery(query);
  const found = await Promise.all(
    parts.map(async (part) => match(part, query, await part.segment.lookUp(lookups))),
  );
  if (found.every(({ all }) => sizeOf(all) === 0)) return null;
  const folded = foldedValue(name);
  const { counts } = countFacets(found, { most: COUNTED, shown: () => Number.POSITIVE_INFINITY });
  return counts.label.find(({ value }) => foldedValue(value) === folded)?.value ?? null;
}

/** The spelling is decided by the most popular release groups of a label. */
const COUNTED = 1_000;
