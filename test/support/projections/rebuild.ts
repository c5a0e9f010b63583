import type { Pool } from 'pg';
import type { Projection, SourceRegistry } from '../../../projections/engine/projection.ts';
import { sweepRetired } from '../../../projections/engine/store/retire.ts';
import type { Version } from '../../../projections/engine/store/version.ts';
import { type BuildOptions, buildVersion } from '../../../workers/project/build-version.ts';

/** Rebuilds a projection from scratch, promotes the result and drops all other versions. */
export async function rebuild(
  pool: Pool,
  projection: Projection,
  registry: SourceRegistry,
  options: Pick<BuildOptions, 'onProgress'> = {},
): Promise<Version> {
  const { version } = await buildVersion(pool, projection, registry, {
    ...options,
    promote: true,
    fromScratch: true,
  });
  await pool.query(
    `update projection.version set state = 'retired' where projection = $1 and state = 'previous'`,
    [projection.name],
  );
  await sweepRetired(pool);
  return version;
}
