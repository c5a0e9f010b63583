import type { Pool } from 'pg';

/** `alive`; `silent` after a few missed heartbeats, `dead` after several; `unknown` while their interval is. */
export const CONNECTOR_STATES = ['alive', 'silent', 'dead', 'unknown'] as const;
export type ConnectorState = (typeof CONNECTOR_STATES)[number];

/** A connector that feeds sources. */
export interface Connector {
  readonly name: string;
  /** Its newest heartbeat, in milliseconds since 1970; null without one. */
  readonly heartbeatMs: number | null;
  /** The newest change of all sources that it feeds, likewise. It may send no heartbeats during a snapshot. */
  readonly changeMs: number | null;
  /** The time between its heartbeats; null while it is unknown. */
  readonly intervalMs: number | null;
}

/** Heartbeats missed. */
const SILENT_AFTER = 3;
const DEAD_AFTER = 10;
/** A heartbeat may take this long to the database, and is not missed before. */
const ARRIVAL_MS = 5_000;

/** @param nowMs milliseconds since 1970 */
export function connectorState(
  { heartbeatMs, changeMs, intervalMs }: Connector,
  nowMs: number,
): ConnectorState {
  if (intervalMs === null) return 'unknown';
  const seenMs = Math.max(heartbeatMs ?? Number.NEGATIVE_INFINITY, changeMs ?? Number.NEGATIVE_INFINITY);
  const silentMs = nowMs - seenMs - ARRIVAL_MS;
  if (silentMs > DEAD_AFTER * intervalMs) return 'dead';
  return silentMs > SILENT_AFTER * intervalMs ? 'silent' : 'alive';
}

/** Reads the connectors that feed sources, by name. */
export async function readConnectors(pool: Pool): Promise<ReadonlyMap<string, Connector>> {
  const { rows } = await pool.query<{
    name: string;
    changed_at: Date | null;
    newest_heartbeat_at: Date | null;
    interval_ms: number | null;
  }>({
    name: 'connectors',
    text: `select name, changed_at, newest_heartbeat_at, interval_ms::float8 as interval_ms
           from (
             select connector as name, max(newest_change_at) as changed_at
             from ingest.source where connector is not null group by connector
           ) feeding
             left join ingest.connector using (name)`,
  });
  return new Map(
    rows.map(({ name, changed_at, newest_heartbeat_at, interval_ms }) => [
      name,
      {
        name,
        heartbeatMs: newest_heartbeat_at?.getTime() ?? null,
        changeMs: changed_at?.getTime() ?? null,
        intervalMs: interval_ms,
      },
    ]),
  );
}
