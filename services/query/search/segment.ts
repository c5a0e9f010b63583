import type { SegmentColumns } from '../../../projections/models/search/columns.ts';
import type { SearchRow } from '../../../projections/models/search/document.ts';
import type { ListFacet } from '../../../projections/models/search/facets.ts';
import type { RankSet } from '../../../projections/models/search/rank-set.ts';

/** The release groups that have a word. */
export interface WordSets {
  readonly anywhere: RankSet;
  readonly inTitle: RankSet;
}

/** The lookups of a search in a segment. */
export interface SegmentQuery {
  readonly words: readonly string[];
  readonly prefix: string | null;
  readonly hashes: readonly number[];
  readonly values: readonly { readonly facet: ListFacet; readonly folded: string }[];
}

/** The looked-up sets, each in the order of the query. */
export interface SegmentResult {
  readonly words: readonly WordSets[];
  readonly prefix: WordSets | null;
  /** Ranks under each hash, sorted. */
  readonly hashes: readonly (readonly number[])[];
  readonly values: readonly RankSet[];
}

/** A facet value in one spelling, and its folded form for filters. */
export interface SpeltValue {
  readonly facet: ListFacet;
  readonly value: string;
  readonly folded: string;
}

/** For each value, the number of the first value with the same folded form. */
function firstSpellings(values: readonly SpeltValue[]): Uint32Array {
  const first = new Map<string, number>();
  return Uint32Array.from(values, ({ facet, folded }, number) => {
    const key = `${facet} ${folded}`;
    const known = first.get(key);
    if (known === undefined) first.set(key, number);
    return known ?? number;
  });
}

/** An immutable part of the index: release groups by rank, with their lookup structures. */
export interface Segment {
  readonly columns: SegmentColumns;
  readonly size: number;
  /** Number of facet values; each spelling has its own number from 0. */
  readonly valueCount: number;
  /** For each facet value, the number of the first spelling with the same folded form. */
  readonly sameAs: Uint32Array;
  /** A value by its number. */
  valueOf(number: number): SpeltValue;
  lookUp(query: SegmentQuery): Promise<SegmentResult>;
  /** Rows by rank, in the order of the ranks given. */
  rows(ranks: readonly number[]): Promise<SearchRow[]>;
}

/** The members of a segment for its facet values, in the order of their numbers. */
export const facetValues = (
  values: readonly SpeltValue[],
): Pick<Segment, 'valueCount' | 'sameAs' | 'valueOf'> => ({
  valueCount: values.length,
  sameAs: firstSpellings(values),
  valueOf(number) {
    const value = values[number];
    if (value === undefined) throw new Error(`facet value ${number} does not exist`);
    return value;
  },
});

/** A segment without release groups that were changed or deleted later. */
export interface PartView {
  readonly segment: Segment;
  /** The hidden release groups; null for none. */
  readonly hidden: RankSet | null;
}
