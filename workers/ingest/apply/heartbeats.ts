import type { ClientBase } from 'pg';
import { int8Array } from '../../../db/arrays.ts';
import type { Heartbeat } from '../decode/envelope.ts';
import { notAhead } from './source-freshness.ts';

/** What is known of a connector's heartbeats, in milliseconds. */
interface KnownHeartbeats {
  readonly newestMs: number;
  /** The times between the newest, oldest first. */
  readonly gapsMs: readonly number[];
}

const GAPS_KEPT = 12;
/** A single gap may be that of an outage or a restart. */
const GAPS_NEEDED = 2;
/** Of the gaps, so much are no longer than the interval: outages are longer, and restarts or several tasks shorter. */
const INTERVAL_SHARE = 0.75;

/**
 * Stores the newest heartbeats of connectors and the interval between them.
 *
 * @param statedMs the interval of all connectors; null to learn each
 */
export async function noteHeartbeats(
  client: ClientBase,
  heartbeats: readonly Heartbeat[],
  statedMs: number | null,
): Promise<void> {
  const byConnector = Map.groupBy(heartbeats, ({ connector }) => connector);
  // Batches that lock the same connectors in the same order cannot deadlock.
  for (const name of [...byConnector.keys()].sort()) {
    const timesMs = (byConnector.get(name) ?? []).map(({ timeMs }) => notAhead(timeMs));
    const known = addHeartbeats(await lockHeartbeats(client, name), timesMs);
    await client.query({
      name: 'note-heartbeats',
      text: `insert into ingest.connector as stored (name, newest_heartbeat_at, interval_ms, heartbeat_gaps_ms)
             values ($1, $2, $3, $4::int8[])
             on conflict (name) do update set
               newest_heartbeat_at = greatest(stored.newest_heartbeat_at, excluded.newest_heartbeat_at),
               interval_ms = excluded.interval_ms, heartbeat_gaps_ms = excluded.heartbeat_gaps_ms`,
      values: [
        name,
        new Date(known.newestMs),
        statedMs ?? learnInterval(known.gapsMs),
        int8Array([...known.gapsMs]),
      ],
    });
  }
}

/** Null before the first heartbeat. */
async function lockHeartbeats(client: ClientBase, name: string): Promise<KnownHeartbeats | null> {
  const { rows } = await client.query<{ newest: Date; gaps: number[] }>({
    name: 'lock-heartbeats',
    text: `select newest_heartbeat_at as newest, heartbeat_gaps_ms::float8[] as gaps from ingest.connector
           where name = $1 for no key update`,
    values: [name],
  });
  const [row] = rows;
  return row === undefined ? null : { newestMs: row.newest.getTime(), gapsMs: row.gaps };
}

/** Repeated heartbeats change nothing. @param timesMs at least one */
export function addHeartbeats(known: KnownHeartbeats | null, timesMs: readonly number[]): KnownHeartbeats {
  const times = [...new Set(timesMs)].sort((a, b) => a - b);
  const all = known === null ? times : [known.newestMs, ...times.filter((timeMs) => timeMs > known.newestMs)];
  const gaps = all.slice(1).map((timeMs, index) => timeMs - (all[index] as number));
  return {
    newestMs: all.at(-1) as number,
    gapsMs: [...(known?.gapsMs ?? []), ...gaps].slice(-GAPS_KEPT),
  };
}

/** The time between heartbeats; null while too few are known. */
export function learnInterval(gapsMs: readonly number[]): number | null {
  if (gapsMs.length < GAPS_NEEDED) return null;
  return gapsMs.toSorted((a, b) => a - b)[Math.ceil(gapsMs.length * INTERVAL_SHARE) - 1] as number;
}
