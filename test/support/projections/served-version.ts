import type { Pool } from 'pg';
import { liveVersion, type Version } from '../../../projections/engine/store/version.ts';

/** The live version of a projection. @throws if none is served */
export async function servedVersion(pool: Pool, projection: string): Promise<Version> {
  const version = await liveVersion(pool, projection);
  if (version === null) throw new Error(`no version of ${projection} is served`);
  return version;
}
