import type { Pool } from 'pg';
import { memoizeFor } from '../../../infra/runtime/memoize-for.ts';
import { readFreshness } from '../../../projections/engine/freshness/read-freshness.ts';
import { projections } from '../../../projections/index.ts';
import { searchProjection } from '../../../projections/models/search/project.ts';

const SHARED_MS = 1_000;
const sources = new Set(searchProjection.reads.map(({ source }) => source.table));

/**
 * Makes a function that reads the lag of the mirror for the sources of the search, in seconds: from the commit of the
 * producer to the mirror, for the slowest source. Null if it was never measured or cannot be read.
 */
export function mirrorLag(pool: Pool, now: () => number): () => Promise<number | null> {
  return memoizeFor(
    SHARED_MS,
    async () => {
      try {
        const report = await readFreshness(pool, projections, now());
        const lags = report.sources
          .filter(({ source }) => sources.has(source))
          .flatMap(({ lagSeconds: { connector, kafka, apply } }) => {
            const stages = [connector, kafka, apply].filter((lag) => lag !== null);
            return stages.length === 0 ? [] : [stages.reduce((sum, lag) => sum + lag, 0)];
          });
        return lags.length === 0 ? null : Math.max(...lags);
      } catch {
        // The search works without it.
        return null;
      }
    },
    now,
  );
}
