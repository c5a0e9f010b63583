import type { SearchRow } from '../../../projections/models/search/document.ts';
import { countedFacets } from './count-facets.ts';
import type { SearchBody } from './schema.ts';
import type { IndexResult } from './search-index.ts';

interface Paging {
  readonly offset: number;
  readonly limit: number;
}

/** The members of a response that come from the index. @param explorerUrl public URL of the explorer */
export function resultBody(
  { total, rows, facets, cut, isSample, behindSeconds }: IndexResult,
  { offset, limit }: Paging,
  {
    explorerUrl,
    mirrorLagSeconds,
  }: { readonly explorerUrl: string; readonly mirrorLagSeconds: number | null },
): Pick<SearchBody, 'pagination' | 'facets' | 'freshness' | 'results'> {
  const count_mode = isSample ? ('approximate_50k_sample' as const) : ('exact' as const);
  return {
    pagination: {
      page: Math.floor(offset / limit) + 1,
      total_pages: Math.ceil(total / limit),
      total_results: total,
      total_results_mode: 'exact',
    },
    facets: Object.fromEntries(
      countedFacets.map((facet) => [
        facet,
        {
          values: facets[facet].map(({ value, count }) => ({ value, count })),
          ...(cut.includes(facet) ? { truncated: true as const } : {}),
          count_mode,
        },
      ]),
    ),
    freshness: { ridden_lag_s: rounded(behindSeconds), mirror_lag_s: mirrorLagSeconds },
    results: rows.map((row) => resultRow(row, explorerUrl)),
  };
}

const rounded = (seconds: number): number => Math.round(seconds * 1000) / 1000;

const resultRow = (row: SearchRow, explorerUrl: string): SearchBody['results'][number] => ({
  master_id: row.master_id,
  title: row.title,
  artist: row.artist,
  year: row.year,
  cube_quadrant: row.cube_quadrant,
  owner_count: row.owner_count,
  dj_count: row.dj_count,
  critic_count: row.critic_count,
  formats: [...row.formats],
  link_to_cube: linkToCube(row, explorerUrl),
  artist_cluster_id: row.artist_cluster_id,
});

/** URL of a release group in the explorer; an unclassified one has no quadrant. */
function linkToCube({ master_id, cube_quadrant }: SearchRow, explorerUrl: string): string {
  const place = new URLSearchParams({
    ...(cube_quadrant === null ? {} : { quadrant: cube_quadrant }),
    master: String(master_id),
  });
  return `${explorerUrl}/explorer/cube?${place}`;
}
