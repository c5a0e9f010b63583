import type { Pool } from 'pg';
import type { SourceRegistry } from '../../projections/projection.ts';
import type { Source } from '../../projections/sources/contract.ts';

/** For so long a deleted row is remembered: until then an older version of it may still arrive. */
export const TOMBSTONE_DAYS = 30;
const DAY_MS = 86_400_000;

/**
 * Whether a snapshot is from before the deletes that are remembered, of a source whose changes are streamed: a row
 * that was deleted since might come back by it.
 *
 * @param timeMs when the snapshot was taken, in milliseconds since 1970
 */
export async function isOutdated(
  pool: Pool,
  registry: SourceRegistry,
  source: Source,
  timeMs: number,
): Promise<boolean> {
  if (timeMs > Date.now() - TOMBSTONE_DAYS * DAY_MS) return false;
  // A version without a commit position is that of a snapshot's row.
  const { rows } = await pool.query<{ streamed: boolean }>(
    `select exists (
       select from ingest.mirror where source = $1 and substr(version, 9, 16) <> repeat('0', 16)) as streamed`,
    [registry.idOf(source)],
  );
  return rows[0]?.streamed ?? false;
}
