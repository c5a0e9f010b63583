import { NO_QUADRANT } from '../../../projections/models/search/columns.ts';
import { firstRanks } from '../../../projections/models/search/rank-set.ts';
import type { Matches } from './match.ts';

/** Counts of facet values among release groups of one segment. */
export interface SegmentTally {
  /** Number of counted release groups. */
  readonly size: number;
  /** Values that occur, by the number of their first spelling. */
  readonly values: readonly number[];
  /** Spellings that occur, by number. */
  readonly spellings: readonly number[];
  /** Release groups with the value in any spelling, by the number of the first spelling. */
  readonly counts: Uint32Array;
  /** Release groups with this very spelling, by number. */
  readonly spelt: Uint32Array;
  /** Release groups by quadrant, the three bits as a number. */
  readonly quadrants: Uint32Array;
}

/** Counts the most popular matches of a segment. */
export function tallySegment({ part, all }: Matches, most: number): SegmentTally {
  const { sameAs, valueCount, columns } = part.segment;
  const { starts, values: numbers, quadrants: quadrantOf } = columns;
  const ranks = firstRanks(all, most);
  // Typed arrays by number are fast; most values do not occur, so collect those that do.
  const counts = new Uint32Array(valueCount);
  const spelt = new Uint32Array(valueCount);
  /** The last counted release group, so that two spellings of a value in one release group count once. */
  const last = new Uint32Array(valueCount);
  const values: number[] = [];
  const spellings: number[] = [];
  const quadrants = new Uint32Array(NO_QUADRANT + 1);
  for (let index = 0; index < ranks.length; index++) {
    const rank = ranks[index] ?? 0;
    const end = starts[rank + 1] ?? 0;
    for (let at = starts[rank] ?? 0; at < end; at++) {
      const number = numbers[at] ?? 0;
      if (spelt[number] === 0) spellings.push(number);
      spelt[number] = (spelt[number] ?? 0) + 1;
      const first = sameAs[number] ?? number;
      if (last[first] === index + 1) continue;
      last[first] = index + 1;
      if (counts[first] === 0) values.push(first);
      counts[first] = (counts[first] ?? 0) + 1;
    }
    const quadrant = quadrantOf[rank] ?? NO_QUADRANT;
    quadrants[quadrant] = (quadrants[quadrant] ?? 0) + 1;
  }
  return { size: ranks.length, values, spellings, counts, spelt, quadrants };
}
