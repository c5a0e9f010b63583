import { NO_QUADRANT } from '../../../projections/search/columns.ts';
import { type ListFacet, listFacets } from '../../../projections/search/facets.ts';
import { firstRanks, sizeOf } from '../../../projections/search/rank-set.ts';
import type { Matches } from './match.ts';

/** Matches that are counted; of more, the most popular ones. */
const COUNTED = 50_000;
/** Values of a facet in an answer, the most frequent ones. */
const SHOWN = 20;

export interface ValueCount {
  readonly value: string;
  readonly count: number;
}

type CountedFacet = ListFacet | 'cube_quadrant';
export const countedFacets: readonly CountedFacet[] = [...listFacets, 'cube_quadrant'];

export type FacetCounts = Readonly<Record<CountedFacet, readonly ValueCount[]>>;

/** Told every facet value that occurs in a segment, once. */
type OnCount = (facet: CountedFacet, value: string, count: number) => void;

/**
 * How many of the matches have which facet values.
 *
 * @param found the generation's first; those after it hold the changes since, which are few
 */
export function countFacets([generation, ...changed]: readonly Matches[]): {
  counts: FacetCounts;
  isSample: boolean;
} {
  const shown = mostFrequent();
  const ofChanges = new Map<
    string,
    { readonly facet: CountedFacet; readonly value: string; count: number }
  >();
  let left = COUNTED;
  let total = 0;
  for (const matches of changed) {
    left -= countSegment(matches, left, (facet, value, count) => {
      const key = `${facet} ${value}`;
      const before = ofChanges.get(key)?.count ?? 0;
      ofChanges.set(key, { facet, value, count: before + count });
    });
    total += sizeOf(matches.all);
  }
  if (generation !== undefined) {
    countSegment(generation, left, (facet, value, count) => {
      const more = ofChanges.size === 0 ? 0 : (ofChanges.get(`${facet} ${value}`)?.count ?? 0);
      if (more > 0) ofChanges.delete(`${facet} ${value}`);
      shown.offer(facet, value, count + more);
    });
    total += sizeOf(generation.all);
  }
  for (const { facet, value, count } of ofChanges.values()) shown.offer(facet, value, count);
  return { counts: shown.lists, isSample: total > COUNTED };
}

/** Counts the most popular matches of a segment, and answers how many these are. */
function countSegment({ part, all }: Matches, most: number, onCount: OnCount): number {
  const { starts, values, quadrants } = part.segment.columns;
  const ranks = firstRanks(all, most);
  // By number first, because most of very many values do not occur.
  const counts = new Uint32Array(part.segment.valueCount);
  const occurring: number[] = [];
  const byQuadrant = new Uint32Array(NO_QUADRANT + 1);
  for (let index = 0; index < ranks.length; index++) {
    const rank = ranks[index] ?? 0;
    const end = starts[rank + 1] ?? 0;
    for (let at = starts[rank] ?? 0; at < end; at++) {
      const number = values[at] ?? 0;
      const before = counts[number] ?? 0;
      if (before === 0) occurring.push(number);
      counts[number] = before + 1;
    }
    const quadrant = quadrants[rank] ?? NO_QUADRANT;
    byQuadrant[quadrant] = (byQuadrant[quadrant] ?? 0) + 1;
  }
  for (const number of occurring) {
    const { facet, value } = part.segment.valueOf(number);
    onCount(facet, value, counts[number] ?? 0);
  }
  for (let quadrant = 0; quadrant < 8; quadrant++) {
    const count = byQuadrant[quadrant] ?? 0;
    if (count > 0) onCount('cube_quadrant', quadrant.toString(2).padStart(3, '0'), count);
  }
  return ranks.length;
}

/**
 * Keeps the most frequent values of each facet, the first first; of equally frequent ones, by code units, so that the
 * order is always the same. Very many may be offered, few of which are worth keeping.
 */
function mostFrequent() {
  const lists: Record<CountedFacet, ValueCount[]> = {
    genre: [],
    style: [],
    format: [],
    country: [],
    label: [],
    cube_quadrant: [],
  };
  return {
    lists,
    offer(facet: CountedFacet, value: string, count: number): void {
      const list = lists[facet];
      const isBefore = (other: ValueCount): boolean =>
        count > other.count || (count === other.count && value < other.value);
      const last = list.at(-1);
      if (list.length === SHOWN && last !== undefined && !isBefore(last)) return;
      const place = list.findIndex(isBefore);
      list.splice(place < 0 ? list.length : place, 0, { value, count });
      if (list.length > SHOWN) list.pop();
    },
  };
}
