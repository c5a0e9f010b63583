import { exactHash } from '../../../projections/search/exact.ts';
import { foldValue, type ListFacet, listFacets } from '../../../projections/search/facets.ts';
import { keyOf, splitWords } from '../../../projections/search/words.ts';
import type { SearchFilters } from '../interpret/interpretation.ts';

/** Values of one facet, folded, of which a release group must have all (`and`) or any (`or`). */
interface ListFilter {
  readonly facet: ListFacet;
  readonly values: readonly string[];
  readonly mode: 'and' | 'or';
}

/** An artist whose release groups are left out. */
interface ExcludedArtist {
  readonly hash: number;
  readonly words: readonly string[];
}

/** What is searched for, in the terms of the index. */
export interface SearchQuery {
  /** Words that must all be there, whole, each once. */
  readonly words: readonly string[];
  /** What one more word must begin with: the last one may not be typed to its end. Null without any word. */
  readonly prefix: string | null;
  /** Of a title, an artist, or both, that say just this. */
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

export interface Page {
  readonly offset: number;
  readonly limit: number;
}

export function searchQuery(q: string, filters: SearchFilters, { offset, limit }: Page): SearchQuery {
  const { words } = splitWords(q);
  const key = keyOf(words);
  const before = words.slice(0, -1);
  return {
    words: [...new Set(before)],
    prefix: words.at(-1) ?? null,
    exact:
      words.length === 0 ? [] : (['title', 'artist', 'both'] as const).map((field) => exactHash(field, key)),
    lists: listFacets.flatMap((facet) => {
      const values = [...new Set((filters[facet] ?? []).map(askedValue))];
      return values.length === 0 ? [] : [{ facet, values, mode: filters[`${facet}_mode`] ?? DEFAULT_MODE }];
    }),
    yearFrom: filters.year_from ?? null,
    yearTo: filters.year_to ?? null,
    quadrant: filters.cube_quadrant === undefined ? null : Number.parseInt(filters.cube_quadrant, 2),
    djCountMin: filters.dj_count_min ?? null,
    excludedArtist: filters.exclude_artist === undefined ? null : excludedArtist(filters.exclude_artist),
    excludedLabel: filters.exclude_label === undefined ? null : askedValue(filters.exclude_label),
    offset,
    limit,
  };
}

/** Of several values of a facet any will do, unless the caller says otherwise. */
export const DEFAULT_MODE = 'or';

/** As it is looked up in the database, whose texts have no NUL. */
export const askedValue = (value: string): string => foldValue(value).replaceAll('\0', '\ufffd');

function excludedArtist(name: string): ExcludedArtist | null {
  const { words } = splitWords(name);
  if (words.length === 0) return null;
  return { hash: exactHash('artist', keyOf(words)), words: [...new Set(words)] };
}

interface Fault {
  readonly path: string;
  readonly message: string;
}

/** What of a request says nothing, though it is there: it would not find, or not leave out, anything. */
export function faultsOf({
  q,
  exclude_artist,
  exclude_label,
}: {
  readonly q: string;
  readonly exclude_artist?: string;
  readonly exclude_label?: string;
}): Fault[] {
  const message = 'must have a letter, a digit or a symbol';
  const isEmpty = {
    q: !isSearchable(q),
    exclude_artist: exclude_artist !== undefined && !isSearchable(exclude_artist),
    exclude_label: exclude_label !== undefined && askedValue(exclude_label) === '',
  };
  return Object.entries(isEmpty).flatMap(([path, is]) => (is ? [{ path, message }] : []));
}

/** Whether a text has anything that can be searched for. */
export const isSearchable = (q: string): boolean => splitWords(q).words.length > 0;
