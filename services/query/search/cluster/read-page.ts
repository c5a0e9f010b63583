import type { API } from '@opensearch-project/opensearch';
import type { SearchRow } from '../../../../projections/models/search/document.ts';
import type { SearchCluster } from '../../../../projections/models/search/opensearch/cluster.ts';
import type { SearchQuery } from '../query.ts';
import { request } from './request.ts';
import { rankedBody } from './request-body.ts';

/** OpenSearch skips no further than this many results; beyond, a page continues after the result before it. */
const WINDOW = 10_000;

interface PageRequest {
  readonly query: SearchQuery;
  /** Further members of the first request. */
  readonly further: API.Search_RequestBody;
  readonly signal: AbortSignal;
}

export interface Page {
  readonly rows: readonly SearchRow[];
  /** The first response, with what the further members asked for. */
  readonly first: API.Search_ResponseBody;
}

/** A page of results in their order. */
export async function readPage(
  cluster: SearchCluster,
  { query, further, signal }: PageRequest,
): Promise<Page> {
  const { offset, limit } = query;
  const ranked = rankedBody(query);
  if (offset + limit <= WINDOW) {
    const first = await request(cluster, { ...ranked, ...further, from: offset, size: limit }, signal);
    return { rows: rowsOf(first), first };
  }
  const first = await request(cluster, { ...ranked, ...further, from: offset - 1, size: 1 }, signal);
  const after = first.hits.hits[0]?.sort;
  if (after === undefined) return { rows: [], first };
  const next = await request(cluster, { ...ranked, search_after: after, size: limit }, signal);
  return { rows: rowsOf(next), first };
}

const rowsOf = ({ hits }: API.Search_ResponseBody): SearchRow[] =>
  hits.hits.map(({ _id, _source: source }) => {
    if (source === undefined) throw new Error(`the search cluster has no row of ${_id}`);
    return (source as { readonly row: SearchRow }).row;
  });
