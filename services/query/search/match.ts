import { NO_QUADRANT, UNKNOWN } from '../../../projections/search/columns.ts';
import {
  EMPTY,
  filterSet,
  has,
  intersect,
  type RankSet,
  setOf,
  sizeOf,
  sortedOnce,
  subtract,
  unite,
} from '../../../projections/search/rank-set.ts';
import type { SearchQuery } from './query.ts';
import type { Asked, PartView, Told } from './segment.ts';

/** What a search finds in one segment. */
export interface Matches {
  readonly part: PartView;
  readonly all: RankSet;
  /** Those that say just what is asked, sorted. */
  readonly exact: Uint32Array;
  /** Those that have all words in the title, with the exact ones or without. */
  readonly inTitle: RankSet;
}

/** What a segment is asked for the sake of a search. */
export function askedFor(query: SearchQuery): Asked {
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

/** Finds in a segment what a search asks for, by what the segment told. */
export function match(part: PartView, query: SearchQuery, told: Told): Matches {
  const { size } = part.segment;
  const words = told.words.slice(0, query.words.length);
  if (told.prefix !== null) words.push(told.prefix);
  const candidates = intersect(
    [...words.map(({ anywhere }) => anywhere), ...listSets(query, told, size)],
    size,
  );
  const all = shown(part, leaveOut(numbered(candidates, part, query), query, told, size));
  if (sizeOf(all) === 0 || words.length === 0) return { part, all, exact: new Uint32Array(), inTitle: EMPTY };
  const exact = told.hashes.slice(0, query.exact.length).flat();
  return {
    part,
    all,
    exact: sortedOnce(Uint32Array.from(exact)).filter((rank) => has(all, rank)),
    inTitle: intersect([all, ...words.map(({ inTitle }) => inTitle)], size),
  };
}

/** The sets that a release group must be in for the sake of the facets. */
function listSets({ lists }: SearchQuery, { values }: Told, size: number): RankSet[] {
  const sets: RankSet[] = [];
  let at = 0;
  for (const { values: own, mode } of lists) {
    const told = values.slice(at, at + own.length);
    at += own.length;
    if (mode === 'and') sets.push(...told);
    else sets.push(unite(told, size));
  }
  return sets;
}

/** Those whose year, quadrant and plays are as asked; an unknown number never is. */
function numbered(set: RankSet, { segment }: PartView, query: SearchQuery): RankSet {
  const { yearFrom, yearTo, quadrant, djCountMin } = query;
  const { years, quadrants, djs } = segment.columns;
  let left = set;
  // What leaves least comes first, because the rest is looked at one by one.
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

function leaveOut(set: RankSet, query: SearchQuery, told: Told, size: number): RankSet {
  let left = set;
  if (query.excludedLabel !== null) left = subtract(left, told.values.at(-1) ?? EMPTY, size);
  const { excludedArtist } = query;
  if (excludedArtist !== null) {
    const words = told.words.slice(query.words.length).map(({ anywhere }) => anywhere);
    // Two names may have one hash, but not all words in common.
    const ranks = (told.hashes.at(-1) ?? []).filter((rank) => words.every((word) => has(word, rank)));
    left = subtract(left, setOf(Uint32Array.from(ranks), size), size);
  }
  return left;
}

/** Those that no later segment holds. */
const shown = ({ hidden, segment }: PartView, set: RankSet): RankSet =>
  hidden === null ? set : subtract(set, hidden, segment.size);
