import type { BenchDatabase } from './database.ts';

/**
 * Brings the database into its state in service after a load. Otherwise its vacuum and its checkpoint would run during
 * the measurement, its memory would hold the loaded rows, and the first reads would come from disk.
 */
export async function settle({ pool, restart }: BenchDatabase): Promise<void> {
  await pool.query('vacuum (analyze) ingest.mirror, ingest.link, projection.mark');
  await pool.query('checkpoint');
  await restart?.();
  await pool.query('create extension if not exists pg_prewarm');
  // Where memory is too small for all, tables of addresses go first: look-ups read the indexes on them alone.
  await pool.query(
    `select pg_prewarm(oid)
     from (select oid from pg_class where relnamespace = 'read'::regnamespace and relkind in ('r', 'i')
           order by relname like '%\\_address' desc, oid) relation`,
  );
}
