import { hash } from 'node:crypto';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Watchdog } from '../../../infra/runtime/watchdog.ts';
import { readLastSeen, staleSources } from '../../../projections/engine/freshness/stale-sources.ts';
import type { SourceRegistry } from '../../../projections/engine/projection.ts';
import { projections } from '../../../projections/index.ts';

/** Which sources are stale, as of the last poll. Replaced, never changed. */
export interface Staleness {
  isStale(sourceId: number): boolean;
  /** Identifies the set of stale sources that documents are made from. */
  readonly tag: string;
  /** All of them, in order. */
  readonly ids: string;
}

export interface StalenessWatch {
  current(): Staleness;
  stop(): void;
}

const POLL_EVERY_MS = 3_000;
/** A failed poll counts as liveness; a poll that takes longer than this hangs. */
const LIVENESS_LIMIT_MS = 60_000;

/**
 * Polls which sources are stale, so that requests need no query. While the database is unavailable, the last known times
 * apply, so sources become stale by time alone.
 *
 * @throws if the first poll fails
 */
export async function watchStaleness(
  pool: Pool,
  registry: SourceRegistry,
  { log, watchdog, now }: { readonly log: Logger; readonly watchdog: Watchdog; readonly now: () => number },
): Promise<StalenessWatch> {
  const read = new Set(projections.flatMap(({ reads }) => reads.map(({ source }) => registry.idOf(source))));
  let heardAt = await readLastSeen(pool);
  const evaluate = (): Staleness =>
    stalenessOf([...staleSources(heardAt, registry, now())], (id) => read.has(id));
  let current = evaluate();
  let isPolling = false;
  const liveness = watchdog.watch('staleness', LIVENESS_LIMIT_MS);

  async function poll(): Promise<void> {
    isPolling = true;
    try {
      heardAt = await readLastSeen(pool);
    } catch (error) {
      log.warn({ err: error }, 'cannot read when sources last changed; using the last known times');
    } finally {
      isPolling = false;
      liveness.heartbeat();
    }
  }

  function refresh(): void {
    const next = evaluate();
    // Values derived from this object stay valid as long as it is the same object.
    if (next.ids !== current.ids) current = next;
  }

  const timer = setInterval(() => {
    refresh();
    if (!isPolling) void poll().then(refresh);
  }, POLL_EVERY_MS).unref();
  return {
    current: () => current,
    stop() {
      clearInterval(timer);
      liveness.stop();
    },
  };
}

/** @param isTagged whether a source counts for the tag */
export function stalenessOf(
  staleIds: readonly number[],
  isTagged: (sourceId: number) => boolean = () => true,
): Staleness {
  const stale = new Set(staleIds);
  const ids = [...stale].sort((a, b) => a - b);
  const tag = hash('sha256', ids.filter(isTagged).join(), 'hex').slice(0, 8);
  return { isStale: (id) => stale.has(id), tag, ids: ids.join() };
}
