import { documentTable, liveVersion } from '../../projections/store/version.ts';
import type { BenchDatabase } from './database.ts';

/**
 * Brings the database to rest after a load, as it is in service: else its vacuum and its checkpoint would run beside
 * the measurement, and the documents would lie on the disk in the order in which memory was short.
 */
export async function settle({ pool }: BenchDatabase, projection: string): Promise<void> {
  await pool.query('vacuum (analyze) ingest.mirror, ingest.link, projection.mark');
  await pool.query('checkpoint');
  const live = await liveVersion(pool, projection);
  if (live !== null) await pool.query(`select sum(length(body)) from ${documentTable(live)}`);
}
