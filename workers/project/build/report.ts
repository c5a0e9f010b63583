import type { Pool } from 'pg';
import { findVersion, liveVersion, type Version } from '../../../projections/engine/store/version.ts';
import { compareVersions, type VersionComparison } from './compare-versions.ts';

/** The comparison with the live version, made once for all builders. @param again whether to repeat one that was made */
export async function comparisonOf(
  pool: Pool,
  { id, projection }: Version,
  again: boolean,
): Promise<VersionComparison | null> {
  const version = await findVersion(pool, id);
  const known = await readComparison(pool, id);
  if (version?.state !== 'ready' || (known !== null && !again)) return known;
  const live = await liveVersion(pool, projection);
  if (live === null) return known;
  const report = await compareVersions(pool, live, version);
  await pool.query('update projection.version set report = $2 where id = $1', [id, JSON.stringify(report)]);
  return report;
}

/** The stored comparison. */
export async function readComparison(pool: Pool, id: number): Promise<VersionComparison | null> {
  const { rows } = await pool.query<{ report: VersionComparison | null }>(
    'select report from projection.version where id = $1',
    [id],
  );
  return rows[0]?.report ?? null;
}
