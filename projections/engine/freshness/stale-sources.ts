import type { Pool } from 'pg';
import { STALE_AFTER_SECONDS } from '../../contracts/contract.ts';
import { sources } from '../../contracts/index.ts';
import type { SourceRegistry } from '../projection.ts';

/** The newest change or heartbeat of each source by id, in milliseconds since 1970; null without one. */
export type LastSeenBySource = ReadonlyMap<number, number | null>;

/** Reads the newest change or heartbeat of each source. */
export async function readLastSeen(pool: Pool): Promise<LastSeenBySource> {
  const { rows } = await pool.query<{ id: number; seen_at: Date | null }>({
    name: 'sources-last-seen',
    text: 'select id, greatest(newest_change_at, newest_heartbeat_at) as seen_at from ingest.source',
  });
  return new Map(rows.map(({ id, seen_at }) => [id, seen_at?.getTime() ?? null]));
}

/**
 * The ids of sources that are stale at `nowMs`: neither a change nor a heartbeat within twice their cadence. A source
 * without either is stale too.
 */
export function staleSources(
  lastSeen: LastSeenBySource,
  registry: SourceRegistry,
  nowMs: number,
): Set<number> {
  const stale = new Set<number>();
  for (const source of sources) {
    const id = registry.idOf(source);
    const seenMs = lastSeen.get(id) ?? Number.NEGATIVE_INFINITY;
    if (nowMs - seenMs > STALE_AFTER_SECONDS[source.cadence] * 1000) stale.add(id);
  }
  return stale;
}
