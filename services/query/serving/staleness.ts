import { hash } from 'node:crypto';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { readStaleSources } from '../../../projections/freshness.ts';
import type { Projection, SourceRegistry } from '../../../projections/projection.ts';

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

/**
 * Watches which sources of a projection are stale, so that no request has to ask.
 *
 * @throws where the first look fails
 */
export async function watchStaleness(
  pool: Pool,
  registry: SourceRegistry,
  projection: Projection,
  log: Logger,
): Promise<StalenessWatch> {
  const read = new Set(projection.reads.map(({ source }) => registry.idOf(source)));
  const look = async (): Promise<Staleness> =>
    stalenessOf([...(await readStaleSources(pool, registry, new Date()))].filter((id) => read.has(id)));
  let current = await look();
  let isLooking = false;
  const lookAgain = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    try {
      const next = await look();
      // The same object tells those who keep something made from it that it still holds.
      if (next.tag !== current.tag) current = next;
    } catch (error) {
      log.warn({ err: error }, 'staleness could not be read; the last known holds on');
    } finally {
      isLooking = false;
    }
  };
  const timer = setInterval(() => void lookAgain(), LOOK_EVERY_MS).unref();
  return { current: () => current, stop: () => clearInterval(timer) };
}

export function stalenessOf(staleIds: readonly number[]): Staleness {
  const stale = new Set(staleIds);
  const tag = hash('sha256', staleIds.toSorted((a, b) => a - b).join(), 'hex').slice(0, 8);
  return { isStale: (id) => stale.has(id), tag };
}
