import type { Pool } from 'pg';
import type { SourceRegistry } from './projection.ts';
import { STALE_AFTER_SECONDS } from './sources/contract.ts';
import { sources } from './sources/index.ts';

/**
 * The ids of sources that are stale at `now`: neither a change nor a heartbeat within twice their cadence.
 * A source that has never been heard of is stale too.
 */
export async function readStaleSources(
  pool: Pool,
  registry: SourceRegistry,
  now: Date,
): Promise<Set<number>> {
  const { rows } = await pool.query<{ id: number; heard_at: Date | null }>({
    name: 'sources-heard',
    text: 'select id, greatest(newest_change_at, newest_heartbeat_at) as heard_at from ingest.source',
  });
  const heardAt = new Map(rows.map((row) => [row.id, row.heard_at]));
  const stale = new Set<number>();
  for (const source of sources) {
    const id = registry.idOf(source);
    const heard = heardAt.get(id)?.getTime() ?? Number.NEGATIVE_INFINITY;
    if (now.getTime() - heard > STALE_AFTER_SECONDS[source.cadence] * 1000) stale.add(id);
  }
  return stale;
}
