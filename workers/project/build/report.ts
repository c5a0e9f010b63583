import type { Pool } from 'pg';
import { findVersion, liveVersion, type Version } from '../../../projections/store/version.ts';
import { type Comparison, compareVersions } from './compare-versions.ts';

/** The comparison with the live version, made once for all builders, or once more for who comes later. */
export async function reportOn(
  pool: Pool,
  { id, projection }: Version,
  anew: boolean,
): Promise<Comparison | null> {
  const version = await findVersion(pool, id);
  const known = await readReport(pool, id);
  if (version?.state !== 'ready' || (known !== null && !anew)) return known;
  const live = await liveVersion(pool, projection);
  if (live === null) return known;
  const report = await compareVersions(pool, live, version);
  await pool.query('update projection.version set report = $2 where id = $1', [id, JSON.stringify(report)]);
  return report;
}

/** The comparison as it was written down; null without one. */
export async function readReport(pool: Pool, id: number): Promise<Comparison | null> {
  const { rows } = await pool.query<{ report: Comparison | null }>(
    'select report from projection.version where id = $1',
    [id],
  );
  return rows[0]?.report ?? null;
}
