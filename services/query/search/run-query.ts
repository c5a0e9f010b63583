import type { SearchRow } from '../../../projections/search/document.ts';
import { sizeOf } from '../../../projections/search/rank-set.ts';
import { type CountedFacets, countFacets, type FacetCounts } from './count-facets.ts';
import { askedFor, type Matches, match } from './match.ts';
import type { SearchQuery } from './query.ts';
import { rankPage } from './rank-page.ts';
import type { PartView } from './segment.ts';

/** What a search came to. */
export interface SearchFound {
  /** Exact. */
  readonly total: number;
  readonly rows: readonly SearchRow[];
  readonly facets: FacetCounts;
  /** Facets with more values than these. */
  readonly cut: CountedFacets['cut'];
  /** Whether the facets were counted on the most popular matches alone. */
  readonly isSample: boolean;
}

/**
 * Runs a search over segments that together hold every release group once.
 *
 * @param signal ends it between its steps, each of which is bounded by the number of release groups
 */
export async function runQuery(
  parts: readonly PartView[],
  query: SearchQuery,
  signal: AbortSignal,
): Promise<SearchFound> {
  const asked = askedFor(query);
  const told = await Promise.all(parts.map(({ segment }) => segment.tell(asked)));
  signal.throwIfAborted();
  const found = parts.flatMap((part, index) => {
    const own = told[index];
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
  // Each segment's rows come in the order of the page.
  return page.flatMap(({ matches }) => rows.get(matches)?.shift() ?? []);
}
