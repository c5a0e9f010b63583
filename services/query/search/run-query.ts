import type { SearchRow } from '../../../projections/models/search/document.ts';
import { sizeOf } from '../../../projections/models/search/rank-set.ts';
import { type CountedFacets, countFacets, type FacetCounts } from './count-facets.ts';
import { type Matches, match, segmentQuery } from './match.ts';
import type { SearchQuery } from './query.ts';
import { rankPage } from './rank-page.ts';
import type { PartView } from './segment.ts';

/** The result of a search. */
export interface SearchResult {
  /** Exact number of matches. */
  readonly total: number;
  readonly rows: readonly SearchRow[];
  readonly facets: FacetCounts;
  /** Facets with further values. */
  readonly cut: CountedFacets['cut'];
  /** Whether the facets count only the most popular matches. */
  readonly isSample: boolean;
}

/**
 * Runs a search over segments that together hold every release group once.
 *
 * @param signal aborts between steps, each of which is bounded by the number of release groups
 */
export async function runQuery(
  parts: readonly PartView[],
  query: SearchQuery,
  signal: AbortSignal,
): Promise<SearchResult> {
  const lookups = segmentQuery(query);
  const results = await Promise.all(parts.map(({ segment }) => segment.lookUp(lookups)));
  signal.throwIfAborted();
  const found = parts.flatMap((part, index) => {
    const own = results[index];
    return own === undefined ? [] : [match(part, query, own)];
  });
  const total = found.reduce((sum, { all }) => sum + sizeOf(all), 0);
  const { counts, cut, isSample } = countFacets(found);
  const rows = await pageRows(found, query);
  return { total, rows, facets: counts, cut, isSample };
}

async function pageRows(found: readonly Matches[], { offset, limit }: SearchQuery): Promise<SearchRow[]> {
  const page = rankPage(found, offset, limit);
  const rows = new Map<Matches, SearchRow[]>();
  await Promise.all(
    found.map(async (matches) => {
      const ranks = page.flatMap((place) => (place.matches === matches ? [place.rank] : []));
      rows.set(matches, await matches.part.segment.rows(ranks));
    }),
  );
  // The rows of each segment are in the order of the page.
  return page.flatMap(({ matches }) => rows.get(matches)?.shift() ?? []);
}
