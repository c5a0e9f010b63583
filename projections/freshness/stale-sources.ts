import type { Pool } from 'pg';
import type { SourceRegistry } from '../projection.ts';
import { STALE_AFTER_SECONDS } from '../sources/contract.ts';
import { sources } from '../sources/index.ts';

/** When each source was last heard of, by id, in milliseconds since 1970; null where it never was. */
export type HeardAt = ReadonlyMap<number, number | null>;

/** Reads when the sources were last heard of: by a change or a heartbeat, whichever is newer. */
export async function readHeardAt(pool: Pool): Promise<HeardAt> {
  const { rows } = await pool.query<{ id: number; heard_at: Date | null }>({
    name: 'sources-heard',
    text: 'select id, greatest(newest_change_at, newest_heartbeat_at) as heard_at from ingest.source',
  });
  return new Map(rows.map(({ id, heard_at }) => [id, heard_at?.getTime() ?? null]));
}

/**
 * The ids of sources that are stale at `nowMs`: neither a change nor a heartbeat within twice their cadence. A source
 * that has never been heard of is stale too.
 */
export function staleSources(heardAt: HeardAt, registry: SourceRegistry, nowMs: number): Set<number> {
  const stale = new Set<number>();
  for (const source of sources) {
    const id = registry.idOf(source);
    const heardMs = heardAt.get(id) ?? Number.NEGATIVE_INFINITY;
    if (nowMs - heardMs > STALE_AFTER_SECONDS[source.cadence] * 1000) stale.add(id);
  }
  return stale;
}
