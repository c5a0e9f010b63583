import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { memoizeFor } from '../../../../infra/runtime/memoize-for.ts';
import { CLUSTER_FORMAT } from '../../../../projections/models/search/opensearch/cluster.ts';

/** What the database records about the searched index. */
export interface IndexState {
  /** Identifies the documents: the same ones as long as it stays. */
  readonly name: string;
  /** The time that the index shows, in milliseconds since 1970 by the clock of this process. */
  readonly atMs: number;
}

export interface IndexStates {
  /** The state, at most a second old; null if no generation has been built. The last known one while it cannot be read. */
  read(): Promise<IndexState | null>;
  /** Resolves once searches see every change made before the call. */
  upToDate(signal: AbortSignal): Promise<void>;
}

interface StateRow {
  readonly name: string;
  readonly seconds: number;
}

/** An index shows another version's documents only until that was replaced. */
const STATE = `
  select generation.id || ' ' || generation.applied_change as name,
    extract(epoch from greatest(
      clock_timestamp() - generation.applied_at,
      clock_timestamp() - case when live.id <> generation.version then live.promoted_at end
    ))::float8 as seconds
  from search.generation
    left join projection.version live on live.projection = 'search' and live.state = 'live'
  where generation.state = 'ready' and generation.format = $1
  order by generation.id desc limit 1`;

const NEWEST_CHANGE = 'select coalesce(max(id), 0)::text as change from search.change';

const IS_APPLIED = `
  select not exists (
    select from search.change
    where change.version = newest.version and change.id <= $2::bigint
      and change.xid >= pg_snapshot_xmin(newest.applied_snapshot)
      and not pg_visible_in_snapshot(change.xid, newest.applied_snapshot)) as "isApplied"
  from (
    select version, applied_snapshot from search.generation
    where state = 'ready' and format = $1 order by id desc limit 1) newest`;

const SHARED_MS = 1_000;
const WAIT_MS = 50;

export function indexStates(pool: Pool): IndexStates {
  let last: IndexState | null = null;

  const readNow = memoizeFor(SHARED_MS, async () => {
    const atMs = Date.now();
    const { rows } = await pool.query<StateRow>({
      name: 'search-cluster-state',
      text: STATE,
      values: [CLUSTER_FORMAT],
    });
    const [row] = rows;
    last = row === undefined ? null : { name: row.name, atMs: atMs - Math.max(0, row.seconds) * 1_000 };
    return last;
  });

  return {
    async read() {
      try {
        return await readNow();
      } catch (error) {
        if (last === null) throw error;
        return last;
      }
    },
    async upToDate(signal) {
      const { rows: newest } = await pool.query<{ change: string }>(NEWEST_CHANGE);
      for (;;) {
        signal.throwIfAborted();
        const { rows } = await pool.query<{ isApplied: boolean }>({
          name: 'search-cluster-applied',
          text: IS_APPLIED,
          values: [CLUSTER_FORMAT, newest[0]?.change ?? '0'],
        });
        if (rows[0]?.isApplied !== false) return;
        await delay(WAIT_MS, undefined, { signal });
      }
    },
  };
}
