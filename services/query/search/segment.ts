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

/** Release groups by rank, and where to find them by what. Never changes. */
export interface Segment {
  readonly columns: Columns;
  readonly size: number;
  /** Facet values are numbered from 0 up to this. */
  readonly valueCount: number;
  /** The facet and the spelling of a value, by its number. */
  valueOf(number: number): { readonly facet: ListFacet; readonly value: string };
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
