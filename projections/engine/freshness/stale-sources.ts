import type { Pool } from 'pg';
import { STALE_AFTER_SECONDS } from '../../contracts/contract.ts';
import { sources } from '../../contracts/index.ts';
import type { SourceRegistry } from '../projection.ts';
import { lastSeenMs } from './activity.ts';
import { type Connector, connectorState, readConnectors } from './connectors.ts';

interface SourceSeen {
  /** Its newest change or heartbeat, in milliseconds since 1970; null without one. */
  readonly seenMs: number | null;
  /** Null if none is known. */
  readonly connector: Connector | null;
}

/** When each source was last seen, by id. */
export type LastSeenBySource = ReadonlyMap<number, SourceSeen>;

/** Reads when each source was last seen. */
export async function readLastSeen(pool: Pool): Promise<LastSeenBySource> {
  const { rows } = await pool.query<{ id: number; changed_at: Date | null; connector: string | null }>({
    name: 'sources-last-seen',
    text: 'select id, newest_change_at as changed_at, connector from ingest.source',
  });
  const connectors = await readConnectors(pool);
  return new Map(
    rows.map(({ id, changed_at, connector: name }) => {
      const connector = (name === null ? undefined : connectors.get(name)) ?? null;
      const changeMs = changed_at?.getTime() ?? null;
      return [
        id,
        { seenMs: lastSeenMs({ changeMs, heartbeatMs: connector?.heartbeatMs ?? null }), connector },
      ];
    }),
  );
}

/**
 * The ids of sources that are stale at `nowMs`: neither a change nor a heartbeat within twice their cadence, or a dead
 * connector. A source without any of them is stale too.
 */
export function staleSources(
  lastSeen: LastSeenBySource,
  registry: SourceRegistry,
  nowMs: number,
): Set<number> {
  const stale = new Set<number>();
  for (const source of sources) {
    const id = registry.idOf(source);
    const { seenMs = null, connector = null } = lastSeen.get(id) ?? {};
    const isOld = seenMs === null || nowMs - seenMs > STALE_AFTER_SECONDS[source.cadence] * 1000;
    if (isOld || (connector !== null && connectorState(connector, nowMs) === 'dead')) stale.add(id);
  }
  return stale;
}
