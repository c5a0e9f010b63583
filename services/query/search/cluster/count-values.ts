import type { API, Types } from '@opensearch-project/opensearch';
import { type ListFacet, listFacets } from '../../../../projections/models/search/facets.ts';
import { spellingsOf } from '../../../../projections/models/search/opensearch/indexed-document.ts';
import { decideTop, estimateTop, type TermCounts, type TopValues } from './decide-top.ts';

type Aggregations = Record<string, Types.Common_Aggregations.AggregationContainer>;
type Response = API.Search_ResponseBody;

/** Sends the aggregations of a search that returns no rows. */
type Aggregate = (aggs: Aggregations) => Promise<Response>;

/**
 * Terms per aggregation: enough for most results; more where they could change the result. The cluster limits the terms of
 * a response to 65,535.
 */
const FIRST_SIZE = 512;
const FURTHER_SIZES = [4_096, 32_000];

/** Aggregations of one facet: its folded values and its spellings. */
const ofFacet = (facet: ListFacet, size: number): Aggregations =>
  Object.fromEntries(
    [facet, spellingsOf(facet)].map((field) => [
      field,
      { terms: { field, size, shard_size: 2 * size, show_term_doc_count_error: true } },
    ]),
  );

/** Aggregations of all facets, for the request that also reads a page. */
export const facetAggregations = (): Aggregations =>
  Object.assign({}, ...listFacets.map((facet) => ofFacet(facet, FIRST_SIZE)));

/** The terms of a counted field. */
export function termsIn(aggregations: Response['aggregations'], name: string): TermCounts {
  const terms = aggregations?.[name];
  if (terms === undefined) throw new Error(`the search cluster did not count ${name}`);
  return terms as unknown as TermCounts;
}

const countedIn = (response: Response, facet: ListFacet) => ({
  folded: termsIn(response.aggregations, facet),
  spelt: termsIn(response.aggregations, spellingsOf(facet)),
});

interface Counting {
  /** The response to `facetAggregations`. */
  readonly first: Response;
  readonly aggregate: Aggregate;
  /** Maximum values to keep per facet. */
  readonly shown: (facet: ListFacet) => number;
}

interface CountedValues {
  readonly counts: Readonly<Record<ListFacet, TopValues['values']>>;
  /** Facets with further values. */
  readonly cut: readonly ListFacet[];
}

/** The most frequent values of each facet. Further terms are read for facets whose first terms do not decide them. */
export async function countValues({ first, aggregate, shown }: Counting): Promise<CountedValues> {
  const counts: Record<ListFacet, TopValues['values']> = {
    genre: [],
    style: [],
    format: [],
    country: [],
    label: [],
  };
  const cut = new Set<ListFacet>();
  let response = first;
  let open: readonly ListFacet[] = listFacets;
  for (const size of [...FURTHER_SIZES, null]) {
    const undecided: ListFacet[] = [];
    for (const facet of open) {
      const counted = countedIn(response, facet);
      const top =
        decideTop(counted, shown(facet)) ?? (size === null ? estimateTop(counted, shown(facet)) : null);
      if (top === null) undecided.push(facet);
      else counts[facet] = top.values;
      if (top?.isCut === true) cut.add(facet);
    }
    open = undecided;
    if (open.length === 0 || size === null) break;
    response = await aggregate(Object.assign({}, ...open.map((facet) => ofFacet(facet, size))));
  }
  return { counts, cut: listFacets.filter((facet) => cut.has(facet)) };
}
