import { exactHash } from '../../../projections/models/search/exact.ts';
import { foldValue, type ListFacet, listFacets } from '../../../projections/models/search/facets.ts';
import { keyOf, splitWords } from '../../../projections/models/search/words.ts';
import type { SearchFilters } from '../plain-language/interpretation.ts';

/** Folded values of one facet. A release group must have all (`and`) or any (`or`). */
interface ListFilter {
  readonly facet: ListFacet;
  readonly values: readonly string[];
  readonly mode: 'and' | 'or';
}

/** An artist whose release groups are excluded. */
interface ExcludedArtist {
  readonly hash: number;
  readonly words: readonly string[];
}

/** A search in terms of the index. */
export interface SearchQuery {
  /** Required whole words, without duplicates. */
  readonly words: readonly string[];
  /** Required prefix of a word, because the user may still be typing the last one. Null without words. */
  readonly prefix: string | null;
  /** Hashes of a title, an artist, or both, that match exactly. */
  readonly exact: readonly number[];
  readonly lists: readonly ListFilter[];
  readonly yearFrom: number | null;
  readonly yearTo: number | null;
  readonly quadrant: number | null;
  readonly djCountMin: number | null;
  readonly excludedArtist: ExcludedArtist | null;
  /** Folded. */
  readonly excludedLabel: string | null;
  readonly offset: number;
  readonly limit: number;
}

export interface PageRange {
  readonly offset: number;
  readonly limit: number;
}

export function searchQuery(q: string, filters: SearchFilters, { offset, limit }: PageRange): SearchQuery {
  const { words } = splitWords(q);
  const key = keyOf(words);
  const before = words.slice(0, -1);
  return {
    words: [...new Set(before)],
    prefix: words.at(-1) ?? null,
    exact:
      words.length === 0 ? [] : (['title', 'artist', 'both'] as const).map((field) => exactHash(field, key)),
    lists: listFacets.flatMap((facet) => {
      const values = [...new Set((filters[facet] ?? []).map(foldedValue))];
      return values.length === 0 ? [] : [{ facet, values, mode: filters[`${facet}_mode`] ?? DEFAULT_MODE }];
    }),
    yearFrom: filters.year_from ?? null,
    yearTo: filters.year_to ?? null,
    quadrant: filters.cube_quadrant === undefined ? null : Number.parseInt(filters.cube_quadrant, 2),
    djCountMin: filters.dj_count_min ?? null,
    excludedArtist: filters.exclude_artist === undefined ? null : excludedArtist(filters.exclude_artist),
    excludedLabel: filters.exclude_label === undefined ? null : foldedValue(filters.exclude_label),
    offset,
    limit,
  };
}

/** By default a release group needs any of several values of a facet. */
export const DEFAULT_MODE = 'or';

/** The folded value as stored, without NUL, which PostgreSQL texts cannot contain. */
export const foldedValue = (value: string): string => foldValue(value).replaceAll('\0', '\ufffd');

function excludedArtist(name: string): ExcludedArtist | null {
  const { words } = splitWords(name);
  if (words.length === 0) return null;
  return { hash: exactHash('artist', keyOf(words)), words: [...new Set(words)] };
}

interface QueryError {
  readonly path: string;
  readonly message: string;
}

/** Errors of parameters that are given but have nothing to search for or exclude. */
export function errorsIn({
  q,
  exclude_artist,
  exclude_label,
}: {
  readonly q: string;
  readonly exclude_artist?: string;
  readonly exclude_label?: string;
}): QueryError[] {
  const message = 'must have a letter, a digit or a symbol';
  const isEmpty = {
    q: !isSearchable(q),
    exclude_artist: exclude_artist !== undefined && !isSearchable(exclude_artist),
    exclude_label: exclude_label !== undefined && foldedValue(exclude_label) === '',
  };
  return Object.entries(isEmpty).flatMap(([path, is]) => (is ? [{ path, message }] : []));
}

/** Whether a text has a word to search for. */
export const isSearchable = (q: string): boolean => splitWords(q).words.length > 0;
