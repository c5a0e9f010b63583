import type { Columns } from '../../../projections/search/columns.ts';
import type { SearchRow } from '../../../projections/search/document.ts';
import type { ListFacet } from '../../../projections/search/facets.ts';
import type { RankSet } from '../../../projections/search/rank-set.ts';

/** The release groups that have a word. */
export interface WordSets {
  readonly anywhere: RankSet;
  readonly inTitle: RankSet;
}

/** What a search has to know of a segment. */
export interface Asked {
  readonly words: readonly string[];
  readonly prefix: string | null;
  readonly hashes: readonly number[];
  readonly values: readonly { readonly facet: ListFacet; readonly folded: string }[];
}

/** The answers, each in the order of what was asked. */
export interface Told {
  readonly words: readonly WordSets[];
  readonly prefix: WordSets | null;
  /** Ranks under each hash, sorted. */
  readonly hashes: readonly (readonly number[])[];
  readonly values: readonly RankSet[];
}

/** A facet value as it is spelt, and what a filter makes of it. */
export interface SpeltValue {
  readonly facet: ListFacet;
  readonly value: string;
  readonly folded: string;
}

/** For each value the number of the first that a filter takes for the same. */
export function firstSpellings(values: readonly SpeltValue[]): Uint32Array {
  const first = new Map<string, number>();
  return Uint32Array.from(values, ({ facet, folded }, number) => {
    const key = `${facet} ${folded}`;
    const known = first.get(key);
    if (known === undefined) first.set(key, number);
    return known ?? number;
  });
}

/** Release groups by rank, and where to find them by what. Never changes. */
export interface Segment {
  readonly columns: Columns;
  readonly size: number;
  /** Facet values are numbered from 0 up to this, each spelling for itself. */
  readonly valueCount: number;
  /** For each facet value the number of the first spelling that a filter takes for the same. */
  readonly sameAs: Uint32Array;
  /** A value by its number. */
  valueOf(number: number): SpeltValue;
  tell(asked: Asked): Promise<Told>;
  /** Rows by rank, in the order of the ranks given. */
  rows(ranks: readonly number[]): Promise<SearchRow[]>;
}

/** A segment without those of its release groups that a later segment holds, or that are gone. */
export interface PartView {
  readonly segment: Segment;
  /** Those that do not count; null where all count. */
  readonly hidden: RankSet | null;
}
