import type { Pool } from 'pg';
import { STALE_AFTER_SECONDS } from '../../contracts/contract.ts';
import { sources } from '../../contracts/index.ts';
import type { SourceRegistry } from '../projection.ts';
import { lastSeenMs } from './activity.ts';
import { type Connector, connectorState, readConnectors } from './connectors.ts';
import { readTroubledColumns } from './source-columns.ts';

interface SourceSeen {
  /** Its newest change or heartbeat, in milliseconds since 1970; null without one. */
  readonly seenMs: number | null;
  /** Null if none is known. */
  readonly connector: Connector | null;
  /** Whether its rows keep the last values of a column that its producer has dropped. */
  readonly hasStaleColumn: boolean;
}

/** When each source was last seen, by id. */
export type LastSeenBySource = ReadonlyMap<number, SourceSeen>;

/** Reads when each source was last seen. */
export async function readLastSeen(pool: Pool): Promise<LastSeenBySource> {
  const { rows } = await pool.query<{
    id: number;
    name: string;
    changed_at: Date | null;
    connector: string | null;
  }>({
    name: 'sources-last-seen',
    text: 'select id, name, newest_change_at as changed_at, connector from ingest.source',
  });
  const connectors = await readConnectors(pool);
  const columns = await readTroubledColumns(pool);
  return new Map(
    rows.map(({ id, name, changed_at, connector: feeding }) => {
      const connector = (feeding === null ? undefined : connectors.get(feeding)) ?? null;
      const changeMs = changed_at?.getTime() ?? null;
      return [
        id,
        {
          seenMs: lastSeenMs({ changeMs, heartbeatMs: connector?.heartbeatMs ?? null }),
          connector,
          hasStaleColumn: columns.some(
            ({ source, column }) => source.table === name && column.droppedMs !== null,
          ),
        },
      ];
    }),
  );
}

/**
 * The ids of sources that are stale at `nowMs`: neither a change nor a heartbeat within twice their cadence, a dead
 * connector, or a column of the contract that was dropped. A source without any of them is stale too.
 */
export function staleSources(
  lastSeen: LastSeenBySource,
  registry: SourceRegistry,
  nowMs: number,
): Set<number> {
  const stale = new Set<number>();
  for (const source of sources) {
    const id = registry.idOf(source);
    const { seenMs = null, connector = null, hasStaleColumn = false } = lastSeen.get(id) ?? {};
    const isOld = seenMs === null || nowMs - seenMs > STALE_AFTER_SECONDS[source.cadence] * 1000;
    if (isOld || hasStaleColumn || (connector !== null && connectorState(connector, nowMs) === 'dead'))
      stale.add(id);
  }
  return stale;
}
