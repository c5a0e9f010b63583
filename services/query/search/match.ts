import { NO_QUADRANT, UNKNOWN } from '../../../projections/models/search/columns.ts';
import {
  EMPTY,
  filterSet,
  has,
  intersect,
  type RankSet,
  setOf,
  sizeOf,
  sortedDistinct,
  subtract,
  unite,
} from '../../../projections/models/search/rank-set.ts';
import type { SearchQuery } from './query.ts';
import type { PartView, SegmentQuery, SegmentResult } from './segment.ts';

/** The matches of a search in one segment. */
export interface Matches {
  readonly part: PartView;
  readonly all: RankSet;
  /** Exact matches of title, artist or both, sorted by rank. */
  readonly exact: Uint32Array;
  /** Matches with all words in the title; may include exact ones. */
  readonly inTitle: RankSet;
}

/** The lookups of a search in a segment. */
export function segmentQuery(query: SearchQuery): SegmentQuery {
  const { excludedArtist, excludedLabel } = query;
  return {
    words: [...query.words, ...(excludedArtist?.words ?? [])],
    prefix: query.prefix,
    hashes: [...query.exact, ...(excludedArtist === null ? [] : [excludedArtist.hash])],
    values: [
      ...query.lists.flatMap(({ facet, values }) => values.map((folded) => ({ facet, folded }))),
      ...(excludedLabel === null ? [] : [{ facet: 'label' as const, folded: excludedLabel }]),
    ],
  };
}

/** Combines the looked-up sets of a segment into the matches of a search. */
export function match(part: PartView, query: SearchQuery, sets: SegmentResult): Matches {
  const { size } = part.segment;
  const words = sets.words.slice(0, query.words.length);
  if (sets.prefix !== null) words.push(sets.prefix);
  const candidates = intersect(
    [...words.map(({ anywhere }) => anywhere), ...listSets(query, sets, size)],
    size,
  );
  const all = shown(part, exclude(numbered(candidates, part, query), { query, sets, size }));
  if (sizeOf(all) === 0 || words.length === 0) return { part, all, exact: new Uint32Array(), inTitle: EMPTY };
  const exact = sets.hashes.slice(0, query.exact.length).flat();
  return {
    part,
    all,
    exact: sortedDistinct(Uint32Array.from(exact)).filter((rank) => has(all, rank)),
    inTitle: intersect([all, ...words.map(({ inTitle }) => inTitle)], size),
  };
}

/** The sets of the facet filters, all of which a match must be in. */
function listSets({ lists }: SearchQuery, { values }: SegmentResult, size: number): RankSet[] {
  const sets: RankSet[] = [];
  let at = 0;
  for (const { values: wanted, mode } of lists) {
    const own = values.slice(at, at + wanted.length);
    at += wanted.length;
    if (mode === 'and') sets.push(...own);
    else sets.push(unite(own, size));
  }
  return sets;
}

/** Filters by year, quadrant and plays. Unknown numbers never match. */
function numbered(set: RankSet, { segment }: PartView, query: SearchQuery): RankSet {
  const { yearFrom, yearTo, quadrant, djCountMin } = query;
  const { years, quadrants, djs } = segment.columns;
  let left = set;
  // The most selective filter runs first, because each checks its input one by one.
  if (quadrant !== null)
    left = filterSet(left, segment.size, (rank) => (quadrants[rank] ?? NO_QUADRANT) === quadrant);
  if (djCountMin !== null) {
    const least = Math.max(djCountMin, UNKNOWN + 1);
    left = filterSet(left, segment.size, (rank) => (djs[rank] ?? UNKNOWN) >= least);
  }
  if (yearFrom !== null || yearTo !== null) {
    const [from, to] = [yearFrom ?? UNKNOWN + 1, yearTo ?? Number.POSITIVE_INFINITY];
    left = filterSet(left, segment.size, (rank) => (years[rank] ?? 0) >= from && (years[rank] ?? 0) <= to);
  }
  return left;
}

interface Exclusion {
  readonly query: SearchQuery;
  readonly sets: SegmentResult;
  readonly size: number;
}

function exclude(set: RankSet, { query, sets, size }: Exclusion): RankSet {
  let left = set;
  if (query.excludedLabel !== null) left = subtract(left, sets.values.at(-1) ?? EMPTY, size);
  const { excludedArtist } = query;
  if (excludedArtist !== null) {
    const words = sets.words.slice(query.words.length).map(({ anywhere }) => anywhere);
    // Names with the same hash differ in their words.
    const ranks = (sets.hashes.at(-1) ?? []).filter((rank) => words.every((word) => has(word, rank)));
    left = subtract(left, setOf(Uint32Array.from(ranks), size), size);
  }
  return left;
}

/** Without release groups that a later segment holds. */
const shown = ({ hidden, segment }: PartView, set: RankSet): RankSet =>
  hidden === null ? set : subtract(set, hidden, segment.size);
