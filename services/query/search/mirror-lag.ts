import type { Pool } from 'pg';
import { readFreshness } from '../../../projections/freshness/read-freshness.ts';
import { shareFor } from '../../../projections/observe/share-for.ts';
import { searchProjection } from '../../../projections/search/project.ts';

const SHARED_MS = 1_000;
const sources = new Set(searchProjection.reads.map(({ source }) => source.table));

/**
 * How far the mirror is behind the producers of what is searched, in seconds: from a producer's commit to the mirror, of
 * the slowest source. Null where it was never measured, or cannot be asked for.
 */
export function mirrorLag(pool: Pool, now: () => number): () => Promise<number | null> {
  return shareFor(
    SHARED_MS,
    async () => {
      try {
        const report = await readFreshness(pool, now());
        const lags = report.sources
          .filter(({ source }) => sources.has(source))
          .flatMap(({ lagSeconds: { connector, kafka, apply } }) => {
            const stages = [connector, kafka, apply].filter((lag) => lag !== null);
            return stages.length === 0 ? [] : [stages.reduce((sum, lag) => sum + lag, 0)];
          });
        return lags.length === 0 ? null : Math.max(...lags);
      } catch {
        // The search does not depend on it.
        return null;
      }
    },
    now,
  );
}
