import type { Pool } from 'pg';
import { projectionByName } from '../../projections/index.ts';
import type { SourceRegistry } from '../../projections/projection.ts';
import { keptVersions, type Version } from '../../projections/store/version.ts';
import { drainBucket } from './drain-bucket.ts';

/** Documents a projector takes in one transaction. */
const BATCH = 500;

export interface DrainTotals {
  marks: number;
  changed: number;
  unchanged: number;
  removed: number;
}

/** Works off all marks there are, and those that arise on the way. Buckets that another projector holds are left to it. */
export async function drain(
  pool: Pool,
  registry: SourceRegistry,
  signal?: AbortSignal,
): Promise<DrainTotals> {
  const totals: DrainTotals = {
    marks: 0,
    changed: 0,
    unchanged: 0,
    removed: 0,
  };
  for (let round = -1; round !== totals.marks && !signal?.aborted; ) {
    round = totals.marks;
    for (const version of await keptVersions(pool)) {
      // While a version is built, its marks gather until the build is through.
      if (version.state === 'building') continue;
      for (const bucket of await markedBuckets(pool, version)) {
        if (signal?.aborted) return totals;
        await drainOne(pool, version, bucket, registry, totals);
      }
    }
  }
  return totals;
}

async function markedBuckets(pool: Pool, version: Version): Promise<number[]> {
  const { rows } = await pool.query<{ bucket: number }>({
    name: 'marked-buckets',
    text: 'select distinct bucket from projection.mark where version = $1',
    values: [version.id],
  });
  return rows.map(({ bucket }) => bucket);
}

async function drainOne(
  pool: Pool,
  version: Version,
  bucket: number,
  registry: SourceRegistry,
  totals: DrainTotals,
): Promise<void> {
  const projection = projectionByName.get(version.projection);
  if (projection === undefined) return;
  const drained = await drainBucket(pool, projection, version, bucket, registry, BATCH);
  if (drained.busy) return;
  totals.marks += drained.marks;
  totals.changed += drained.changed;
  totals.unchanged += drained.unchanged;
  totals.removed += drained.removed;
}
