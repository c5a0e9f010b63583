import { byPopularity } from '../../../projections/models/search/columns.ts';
import { has, type RankSet, walk } from '../../../projections/models/search/rank-set.ts';
import type { Matches } from './match.ts';

/** A match and its rank in its segment. */
export interface RankedMatch {
  readonly matches: Matches;
  readonly rank: number;
}

/** Results come in three groups: exact matches, matches with all words in the title, the rest. */
const GROUPS = 3;

/** Iterates over the matches of one segment in the order of results. */
interface MatchCursor {
  readonly matches: Matches;
  /** Current group, 0 to 2. */
  group: number;
  /** Current rank; -1 after the last match. */
  rank: number;
  advance(): void;
}

/**
 * The matches of all segments from `offset` on, at most `limit`, by group and then by popularity. This order is total, so
 * pages of any length join into one list.
 */
export function rankPage(found: readonly Matches[], offset: number, limit: number): RankedMatch[] {
  const cursors = found.map(cursorOf).filter(({ rank }) => rank >= 0);
  const page: RankedMatch[] = [];
  for (let at = 0; at < offset + limit; at++) {
    const first = firstOf(cursors);
    if (first === null) break;
    if (at >= offset) page.push({ matches: first.matches, rank: first.rank });
    first.advance();
  }
  return page;
}

function firstOf(cursors: readonly MatchCursor[]): MatchCursor | null {
  let first: MatchCursor | null = null;
  for (const cursor of cursors) {
    if (cursor.rank < 0) continue;
    if (first === null || comesBefore(cursor, first)) first = cursor;
  }
  return first;
}

const comesBefore = (a: MatchCursor, b: MatchCursor): boolean =>
  a.group === b.group
    ? byPopularity(a.matches.part.segment.columns, b.matches.part.segment.columns)(a.rank, b.rank) < 0
    : a.group < b.group;

function cursorOf(matches: Matches): MatchCursor {
  const { exact, inTitle, all } = matches;
  const exactSet: RankSet = { kind: 'list', ranks: exact };
  const groups = [
    { next: walk(exactSet), isEarlier: () => false },
    { next: walk(inTitle), isEarlier: (rank: number) => has(exactSet, rank) },
    { next: walk(all), isEarlier: (rank: number) => has(exactSet, rank) || has(inTitle, rank) },
  ];
  const cursor: MatchCursor = {
    matches,
    group: 0,
    rank: -1,
    advance() {
      for (; cursor.group < GROUPS; cursor.group++) {
        const group = groups[cursor.group];
        if (group === undefined) break;
        for (let rank = group.next(); rank >= 0; rank = group.next()) {
          if (group.isEarlier(rank)) continue;
          cursor.rank = rank;
          return;
        }
      }
      cursor.rank = -1;
    },
  };
  cursor.advance();
  return cursor;
}
