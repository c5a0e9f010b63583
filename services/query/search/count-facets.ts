import { type ListFacet, listFacets } from '../../../projections/models/search/facets.ts';
import { sizeOf } from '../../../projections/models/search/rank-set.ts';
import type { Matches } from './match.ts';
import type { Segment } from './segment.ts';
import { type SegmentTally, tallySegment } from './tally-segment.ts';

/** Maximum counted matches: the most popular ones. */
const COUNTED = 50_000;
/** Values per facet in a response: the most frequent ones. */
export const MOST_SHOWN = 20;

type CountedFacet = ListFacet | 'cube_quadrant';
export const countedFacets: readonly CountedFacet[] = [...listFacets, 'cube_quadrant'];

export type FacetCounts = Readonly<Record<CountedFacet, readonly ValueCount[]>>;

export interface CountedFacets {
  /** Each value in its commonest spelling (ties: the least), with the number of results of a filter by it. */
  readonly counts: FacetCounts;
  /** Facets with further values. */
  readonly cut: readonly CountedFacet[];
  readonly isSample: boolean;
}

interface Counting {
  /** Maximum release groups to count. */
  readonly most: number;
  /** Maximum values to keep per facet. */
  readonly shown: (facet: ListFacet) => number;
}

const IN_RESPONSES: Counting = { most: COUNTED, shown: () => MOST_SHOWN };

/** Counts of one value over several segments. */
interface Tally {
  readonly facet: ListFacet;
  count: number;
  readonly spellings: Map<string, number>;
}

/**
 * Counts the facet values of matches.
 *
 * @param found matches of the generation first, then of the few changes since
 */
export function countFacets(
  [generation, ...changed]: readonly Matches[],
  { most, shown }: Counting = IN_RESPONSES,
): CountedFacets {
  const { lists, cut, offer } = mostFrequent(shown);
  const quadrants = new Uint32Array(8);
  const ofChanges = new Map<string, Tally>();
  let left = most;
  let total = 0;
  const tallied = (matches: Matches): SegmentTally => {
    const tally = tallySegment(matches, left);
    left -= tally.size;
    total += sizeOf(matches.all);
    for (let quadrant = 0; quadrant < quadrants.length; quadrant++)
      quadrants[quadrant] = (quadrants[quadrant] ?? 0) + (tally.quadrants[quadrant] ?? 0);
    return tally;
  };
  for (const matches of changed)
    addTally(ofChanges, { segment: matches.part.segment, tally: tallied(matches) }, 'all');
  if (generation !== undefined) {
    const { segment } = generation.part;
    const tally = tallied(generation);
    // Merge the few changed values by name and the many others by number, which is cheaper.
    if (ofChanges.size > 0) addTally(ofChanges, { segment, tally }, 'known');
    const spelling = commonestSpellings(segment, tally);
    for (const number of tally.values) {
      const { facet, value, folded } = segment.valueOf(spelling.get(number) ?? number);
      if (ofChanges.size > 0 && ofChanges.has(keyOf(facet, folded))) continue;
      offer(facet, value, tally.counts[number] ?? 0);
    }
  }
  for (const { facet, count, spellings } of ofChanges.values()) offer(facet, commonestOf(spellings), count);
  return {
    counts: { ...lists, cube_quadrant: quadrantCounts(quadrants) },
    cut: cut(),
    isSample: total > most,
  };
}

const keyOf = (facet: ListFacet, folded: string): string => `${facet} ${folded}`;

/** Adds the counts of a segment, for all values or only for known ones. */
function addTally(
  tallies: Map<string, Tally>,
  {
    segment,
    tally: { values, spellings, counts, spelt },
  }: { readonly segment: Segment; readonly tally: SegmentTally },
  which: 'all' | 'known',
): void {
  const tallyOf = (number: number): Tally | undefined => {
    const { facet, folded } = segment.valueOf(number);
    const key = keyOf(facet, folded);
    const known = tallies.get(key);
    if (known !== undefined || which === 'known') return known;
    const tally: Tally = { facet, count: 0, spellings: new Map() };
    tallies.set(key, tally);
    return tally;
  };
  for (const number of values) {
    const tally = tallyOf(number);
    if (tally !== undefined) tally.count += counts[number] ?? 0;
  }
  for (const number of spellings) {
    const { value } = segment.valueOf(number);
    const own = tallyOf(number)?.spellings;
    own?.set(value, (own.get(value) ?? 0) + (spelt[number] ?? 0));
  }
}

/** Maps the number of each value's first spelling to that of its commonest spelling. */
function commonestSpellings(segment: Segment, { spellings, spelt }: SegmentTally): Map<number, number> {
  const best = new Map<number, number>();
  for (const number of spellings) {
    const first = segment.sameAs[number] ?? number;
    const other = best.get(first);
    if (other === undefined || isCommoner(number, other)) best.set(first, number);
  }
  return best;

  function isCommoner(number: number, other: number): boolean {
    const more = (spelt[number] ?? 0) - (spelt[other] ?? 0);
    return more > 0 || (more === 0 && segment.valueOf(number).value < segment.valueOf(other).value);
  }
}

function commonestOf(spellings: ReadonlyMap<string, number>): string {
  const [first] = [...spellings].sort(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1));
  return first?.[0] ?? '';
}

/** Sorted by frequency, like other facets. */
const quadrantCounts = (quadrants: Uint32Array): ValueCount[] =>
  [...quadrants]
    .map((count, quadrant) => ({ value: quadrant.toString(2).padStart(3, '0'), count }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));

export interface ValueCount {
  readonly value: string;
  readonly count: number;
}

/**
 * Keeps the most frequent values of each facet in order. Equally frequent values are ordered by code units, so that the
 * order is total. Made for many offered values of which few are kept.
 */
function mostFrequent(shown: (facet: ListFacet) => number) {
  const lists: Record<ListFacet, ValueCount[]> = { genre: [], style: [], format: [], country: [], label: [] };
  const cut = new Set<ListFacet>();
  return {
    lists,
    /** Facets with more offered than kept values, in order. */
    cut: (): ListFacet[] => listFacets.filter((facet) => cut.has(facet)),
    offer(facet: ListFacet, value: string, count: number): void {
      const list = lists[facet];
      const isBefore = (other: ValueCount | undefined): boolean =>
        other !== undefined && (count > other.count || (count === other.count && value < other.value));
      const isFull = list.length === shown(facet);
      if (isFull) cut.add(facet);
      if (isFull && !isBefore(list.at(-1))) return;
      let place = 0;
      for (let high = list.length; place < high; ) {
        const middle = (place + high) >>> 1;
        if (isBefore(list[middle])) high = middle;
        else place = middle + 1;
      }
      list.splice(place, 0, { value, count });
      if (isFull) list.pop();
    },
  };
}
