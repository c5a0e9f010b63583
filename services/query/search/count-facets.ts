import { type ListFacet, listFacets } from '../../../projections/search/facets.ts';
import { sizeOf } from '../../../projections/search/rank-set.ts';
import type { Matches } from './match.ts';
import { mostFrequent, type ValueCount } from './most-frequent.ts';
import type { Segment } from './segment.ts';
import { type SegmentTally, tallySegment } from './tally-segment.ts';

/** Matches that are counted; of more, the most popular ones. */
const COUNTED = 50_000;
/** Values of a facet in an answer, the most frequent ones. */
export const MOST_SHOWN = 20;

type CountedFacet = ListFacet | 'cube_quadrant';
export const countedFacets: readonly CountedFacet[] = [...listFacets, 'cube_quadrant'];

export type FacetCounts = Readonly<Record<CountedFacet, readonly ValueCount[]>>;

export interface CountedFacets {
  /** Each value in its commonest spelling, the least of equally common ones, with what a filter by it would leave. */
  readonly counts: FacetCounts;
  /** Facets with more values than these. */
  readonly cut: readonly CountedFacet[];
  readonly isSample: boolean;
}

interface Counting {
  /** Release groups that are counted at most. */
  readonly most: number;
  /** Values that are kept of a facet. */
  readonly shown: (facet: ListFacet) => number;
}

const IN_ANSWERS: Counting = { most: COUNTED, shown: () => MOST_SHOWN };

/** A value of several segments. */
interface Tally {
  readonly facet: ListFacet;
  count: number;
  readonly spellings: Map<string, number>;
}

/**
 * How many of the matches have which facet values.
 *
 * @param found the generation's first; those after it hold the changes since, which are few
 */
export function countFacets(
  [generation, ...changed]: readonly Matches[],
  { most, shown }: Counting = IN_ANSWERS,
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
  for (const matches of changed) addTally(ofChanges, matches.part.segment, tallied(matches), 'all');
  if (generation !== undefined) {
    const { segment } = generation.part;
    const tally = tallied(generation);
    // What changed is put together by name, the many other values of the generation by number.
    if (ofChanges.size > 0) addTally(ofChanges, segment, tally, 'known');
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

/** Adds what was counted in a segment, of all values or of those that are known. */
function addTally(
  tallies: Map<string, Tally>,
  segment: Segment,
  { values, spellings, counts, spelt }: SegmentTally,
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

/** By the number of a value's first spelling, that of its commonest one. */
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

/** The most frequent first, as of other facets. */
const quadrantCounts = (quadrants: Uint32Array): ValueCount[] =>
  [...quadrants]
    .map((count, quadrant) => ({ value: quadrant.toString(2).padStart(3, '0'), count }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
