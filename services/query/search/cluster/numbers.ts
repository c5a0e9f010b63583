import type { API } from '@opensearch-project/opensearch';
import type { ValueCount } from '../count-facets.ts';
import { termsIn } from './count-values.ts';

const QUADRANTS = 8;

export const quadrantAggregation = {
  cube_quadrant: { terms: { field: 'quadrant', size: QUADRANTS } },
} as const;

/** Sorted by frequency, like other facets. */
export const quadrantCounts = (response: API.Search_ResponseBody): ValueCount[] =>
  termsIn(response.aggregations, 'cube_quadrant')
    .buckets.map(({ key, doc_count: count }) => ({ value: key, count }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
