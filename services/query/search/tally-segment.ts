import { NO_QUADRANT } from '../../../projections/search/columns.ts';
import { firstRanks } from '../../../projections/search/rank-set.ts';
import type { Matches } from './match.ts';

/** How often facet values occur among release groups of one segment. */
export interface SegmentTally {
  /** Release groups that were counted. */
  readonly size: number;
  /** The values that occur, each once however it is spelt, by the numbers of their first spellings. */
  readonly values: readonly number[];
  /** The spellings that occur, by their numbers. */
  readonly spellings: readonly number[];
  /** By the number of the first spelling: release groups that have the value in any. */
  readonly counts: Uint32Array;
  /** By number: release groups that have just this spelling. */
  readonly spelt: Uint32Array;
  /** By the three bits as a number. */
  readonly quadrants: Uint32Array;
}

/** Counts the most popular matches of a segment. */
export function tallySegment({ part, all }: Matches, most: number): SegmentTally {
  const { sameAs, valueCount, columns } = part.segment;
  const { starts, values: numbers, quadrants: quadrantOf } = columns;
  const ranks = firstRanks(all, most);
  // By number first, because most of very many values do not occur.
  const counts = new Uint32Array(valueCount);
  const spelt = new Uint32Array(valueCount);
  /** The last release group that counted, so that one with two spellings of a value counts once. */
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
