import type { Pool } from 'pg';
import type { Source } from '../../../projections/contracts/contract.ts';
import type { SourceRegistry } from '../../../projections/engine/projection.ts';

/** Deleted rows are remembered for so long, because older versions of them may still arrive. */
export const TOMBSTONE_DAYS = 30;
const DAY_MS = 86_400_000;

/**
 * Whether a snapshot of a streamed source is older than the remembered deletes, so that it could bring deleted rows back.
 *
 * @param snapshot its source, and when it was taken in milliseconds since 1970
 */
export async function isOutdated(
  pool: Pool,
  registry: SourceRegistry,
  { source, timeMs }: { readonly source: Source; readonly timeMs: number },
): Promise<boolean> {
  if (timeMs > Date.now() - TOMBSTONE_DAYS * DAY_MS) return false;
  // Versions of snapshot rows have no commit position.
  const { rows } = await pool.query<{ streamed: boolean }>(
    `select exists (
       select from ingest.mirror where source = $1 and substr(version, 9, 16) <> repeat('0', 16)) as streamed`,
    [registry.idOf(source)],
  );
  return rows[0]?.streamed ?? false;
}
