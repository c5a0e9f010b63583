import { listFacets } from '../../../projections/models/search/facets.ts';
import type { Interpretation, SearchFilters } from '../plain-language/interpretation.ts';
import { DEFAULT_MODE } from './query.ts';
import type { SearchParameters } from './schema.ts';

/** A filter as a response shows it. */
export interface ShownFilter {
  readonly facet: string;
  readonly value: string | string[];
  readonly mode: 'and' | 'or';
}

/** The filters of a request. */
export function givenFilters({
  q: _q,
  limit: _limit,
  offset: _offset,
  nl: _nl,
  dj_count_min,
  ...filters
}: SearchParameters): SearchFilters {
  return typeof dj_count_min === 'number' ? { ...filters, dj_count_min } : filters;
}

/**
 * Combines interpreted filters with those of the request, which take precedence. Interpreted years that contradict a given
 * year are dropped.
 */
export function withInterpreted(given: SearchFilters, { filters }: Interpretation): SearchFilters {
  const merged = { ...filters, ...given };
  for (const facet of listFacets) {
    // The interpreted mode belongs to the interpreted values, which are overridden.
    if (given[facet] !== undefined && given[`${facet}_mode`] === undefined) delete merged[`${facet}_mode`];
  }
  const { year_from: from, year_to: to } = merged;
  if (from !== undefined && to !== undefined && from > to)
    for (const end of ['year_from', 'year_to'] as const) if (given[end] === undefined) delete merged[end];
  return merged;
}

/** The filters with one value. */
export const singleFilters = [
  'year_from',
  'year_to',
  'cube_quadrant',
  'dj_count_min',
  'exclude_artist',
  'exclude_label',
] as const;

/** The filters that apply, in the order in which the search documents them. */
export function shownFilters(filters: SearchFilters): ShownFilter[] {
  const lists = listFacets.flatMap((facet): ShownFilter[] => {
    const [first, ...others] = filters[facet] ?? [];
    if (first === undefined) return [];
    const mode = filters[`${facet}_mode`] ?? DEFAULT_MODE;
    return [{ facet, value: others.length === 0 ? first : [first, ...others], mode }];
  });
  const singles = singleFilters.flatMap((facet): ShownFilter[] => {
    const value = filters[facet];
    return value === undefined ? [] : [{ facet, value: String(value), mode: 'and' }];
  });
  return [...lists, ...singles];
}
