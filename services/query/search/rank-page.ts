import { comparePopularity } from '../../../projections/search/columns.ts';
import { has, type RankSet, walk } from '../../../projections/search/rank-set.ts';
import type { Matches } from './match.ts';

/** A place in a segment. */
export interface Place {
  readonly matches: Matches;
  readonly rank: number;
}

/** What a search finds comes in three groups: what says just this, what has all words in its title, the rest. */
const GROUPS = 3;

/** One segment's matches in the order of the answer, one at a time. */
interface Run {
  readonly matches: Matches;
  /** 0 to 2. */
  group: number;
  /** -1 behind the last one. */
  rank: number;
  advance(): void;
}

/**
 * The matches of all segments from `offset` on, at most `limit`: by group, then by popularity, which never leaves two
 * equal. So pages of any length put together are one list.
 */
export function rankPage(found: readonly Matches[], offset: number, limit: number): Place[] {
  const runs = found.map(runOf).filter(({ rank }) => rank >= 0);
  const page: Place[] = [];
  for (let at = 0; at < offset + limit; at++) {
    const first = firstOf(runs);
    if (first === null) break;
    if (at >= offset) page.push({ matches: first.matches, rank: first.rank });
    first.advance();
  }
  return page;
}

function firstOf(runs: readonly Run[]): Run | null {
  let first: Run | null = null;
  for (const run of runs) {
    if (run.rank < 0) continue;
    if (first === null || comesBefore(run, first)) first = run;
  }
  return first;
}

const comesBefore = (a: Run, b: Run): boolean =>
  a.group === b.group
    ? comparePopularity(a.matches.part.segment.columns, a.rank, b.matches.part.segment.columns, b.rank) < 0
    : a.group < b.group;

function runOf(matches: Matches): Run {
  const { exact, inTitle, all } = matches;
  const exactSet: RankSet = { kind: 'list', ranks: exact };
  const groups = [
    { next: walk(exactSet), isEarlier: () => false },
    { next: walk(inTitle), isEarlier: (rank: number) => has(exactSet, rank) },
    { next: walk(all), isEarlier: (rank: number) => has(exactSet, rank) || has(inTitle, rank) },
  ];
  const run: Run = {
    matches,
    group: 0,
    rank: -1,
    advance() {
      for (; run.group < GROUPS; run.group++) {
        const group = groups[run.group];
        if (group === undefined) break;
        for (let rank = group.next(); rank >= 0; rank = group.next()) {
          if (group.isEarlier(rank)) continue;
          run.rank = rank;
          return;
        }
      }
      run.rank = -1;
    },
  };
  run.advance();
  return run;
}
