import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Pool } from 'pg';
import type { SearchCluster } from '../../../../projections/models/search/opensearch/cluster.ts';
import { ApiError } from '../../../http/errors.ts';
import { MOST_SHOWN } from '../count-facets.ts';
import type { SearchEngine } from '../engine.ts';
import type { FacetList, FacetValues } from '../list-facets.ts';
import { foldedValue, searchQuery } from '../query.ts';
import { countValues, facetAggregations } from './count-values.ts';
import { findSpelling } from './find-spelling.ts';
import { type IndexState, indexStates } from './index-state.ts';
import { listValues } from './list-values.ts';
import { quadrantAggregation, quadrantCounts } from './numbers.ts';
import { readPage } from './read-page.ts';
import { request } from './request.ts';
import { matching } from './request-body.ts';

interface ClusterEngineOptions {
  readonly cluster: SearchCluster;
  /** For short polls of the database, which records what the index shows. */
  readonly pool: Pool;
}

/** Searches the index of a search cluster, which the jobs build and keep current. */
export function clusterEngine({ cluster, pool }: ClusterEngineOptions): SearchEngine {
  const states = indexStates(pool);
  let lastFacets: { readonly name: string; readonly state: string; readonly values: FacetValues } | null =
    null;

  async function state(): Promise<IndexState> {
    const current = await states.read();
    if (current === null) throw new ApiError('not_ready');
    return current;
  }

  return {
    async search(query, { signal, isUpToDate }) {
      if (isUpToDate) await states.upToDate(signal);
      const { atMs } = await state();
      const further = {
        track_total_hits: true,
        aggs: { ...facetAggregations(), ...quadrantAggregation },
      };
      const { rows, first } = await readPage(cluster, { query, further, signal });
      const { counts, cut } = await countValues({
        first,
        aggregate: (aggs) => request(cluster, { query: matching(query), size: 0, aggs }, signal),
        shown: () => MOST_SHOWN,
      });
      return {
        total: totalOf(first.hits.total),
        rows,
        facets: { ...counts, cube_quadrant: quadrantCounts(first) },
        cut,
        isSample: false,
        behindSeconds: Math.max(0, Date.now() - atMs) / 1_000,
      };
    },
    async facets(signal): Promise<FacetList> {
      const { name, atMs } = await state();
      if (lastFacets?.name !== name) {
        const values = await listValues(cluster, signal);
        const isSame = lastFacets !== null && isDeepStrictEqual(values, lastFacets.values);
        lastFacets =
          isSame && lastFacets !== null ? { ...lastFacets, name } : { name, state: randomUUID(), values };
      }
      return { state: lastFacets.state, values: lastFacets.values, takenAt: new Date(atMs) };
    },
    async findLabel(name, signal) {
      await state();
      return findSpelling(cluster, {
        query: searchQuery('', { label: [name] }, NO_ROWS),
        folded: foldedValue(name),
        signal,
      });
    },
    start() {
      // The client connects with the first search.
    },
    stop: cluster.close,
  };
}

const NO_ROWS = { offset: 0, limit: 0 };

/** Exact, because every search tracks its total. */
const totalOf = (total: number | { readonly value: number } | undefined): number =>
  typeof total === 'object' ? total.value : (total ?? 0);
