import { hash } from 'node:crypto';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { readHeardAt, staleSources } from '../../../projections/freshness/stale-sources.ts';
import { projections } from '../../../projections/index.ts';
import type { Watchdog } from '../../../projections/observe/watchdog.ts';
import type { SourceRegistry } from '../../../projections/projection.ts';

/** Which sources are stale, as of the last look. Replaced, never changed. */
export interface Staleness {
  isStale(sourceId: number): boolean;
  /** Tells one set of stale sources from another. */
  readonly tag: string;
}

export interface StalenessWatch {
  current(): Staleness;
  stop(): void;
}

const LOOK_EVERY_MS = 3_000;
/** A look that is given up is a turn too; this one would hang. */
const TURN_LIMIT_MS = 60_000;

/**
 * Watches which sources of documents are stale, so that no request has to ask. While the database cannot be asked, time
 * alone makes sources stale: they are held to when they were last heard of.
 *
 * @throws where the first look fails
 */
export async function watchStaleness(
  pool: Pool,
  registry: SourceRegistry,
  { log, watchdog, now }: { readonly log: Logger; readonly watchdog: Watchdog; readonly now: () => number },
): Promise<StalenessWatch> {
  const read = new Set(projections.flatMap(({ reads }) => reads.map(({ source }) => registry.idOf(source))));
  let heardAt = await readHeardAt(pool);
  const judge = (): Staleness =>
    stalenessOf([...staleSources(heardAt, registry, now())].filter((id) => read.has(id)));
  let current = judge();
  let isLooking = false;
  const heart = watchdog.watch('staleness', TURN_LIMIT_MS);

  async function look(): Promise<void> {
    isLooking = true;
    try {
      heardAt = await readHeardAt(pool);
    } catch (error) {
      log.warn({ err: error }, 'the sources cannot be looked at; time alone makes them stale meanwhile');
    } finally {
      isLooking = false;
      heart.beat();
    }
  }

  function judgeAgain(): void {
    const next = judge();
    // The same object tells those who keep something made from it that it still holds.
    if (next.tag !== current.tag) current = next;
  }

  const timer = setInterval(() => {
    judgeAgain();
    if (!isLooking) void look().then(judgeAgain);
  }, LOOK_EVERY_MS).unref();
  return {
    current: () => current,
    stop() {
      clearInterval(timer);
      heart.stop();
    },
  };
}

export function stalenessOf(staleIds: readonly number[]): Staleness {
  const stale = new Set(staleIds);
  const tag = hash('sha256', staleIds.toSorted((a, b) => a - b).join(), 'hex').slice(0, 8);
  return { isStale: (id) => stale.has(id), tag };
}
