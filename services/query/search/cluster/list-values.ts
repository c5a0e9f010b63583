import type { API } from '@opensearch-project/opensearch';
import type { SearchCluster } from '../../../../projections/models/search/opensearch/cluster.ts';
import { type FacetValues, MOST_LISTED, YEARS } from '../list-facets.ts';
import { countValues, facetAggregations, termsIn } from './count-values.ts';
import { quadrantAggregation, quadrantCounts } from './numbers.ts';
import { request } from './request.ts';

const years = {
  years: {
    filter: { range: { year: { gte: YEARS.from, lte: YEARS.to } } },
    aggs: { years: { terms: { field: 'year', size: YEARS.to - YEARS.from + 1 } } },
  },
};

/** Counts the facet values of all release groups. */
export async function listValues(cluster: SearchCluster, signal: AbortSignal): Promise<FacetValues> {
  const first = await request(
    cluster,
    { size: 0, aggs: { ...facetAggregations(), ...quadrantAggregation, ...years } },
    signal,
  );
  const { counts, cut } = await countValues({
    first,
    aggregate: (aggs) => request(cluster, { size: 0, aggs }, signal),
    shown: (facet) => (facet === 'label' ? MOST_LISTED : Number.POSITIVE_INFINITY),
  });
  const counted = termsIn(first.aggregations?.years as API.Search_ResponseBody['aggregations'], 'years');
  return {
    values: counts,
    cut,
    years: counted.buckets
      .map(({ key, doc_count: count }) => ({ value: String(key), count }))
      .sort((a, b) => Number(a.value) - Number(b.value)),
    quadrants: quadrantCounts(first).sort((a, b) => (a.value < b.value ? -1 : 1)),
  };
}
