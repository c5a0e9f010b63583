import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { listen } from '../../db/listen.ts';
import { type Failure, pause, retry } from '../../infra/runtime/retry.ts';
import { processWatchdog, type Watchdog } from '../../infra/runtime/watchdog.ts';
import type { SourceRegistry } from '../../projections/engine/projection.ts';
import { MARK_CHANNEL } from '../../projections/engine/store/mark.ts';
import { drain } from './drain.ts';
import { countProjectRetry } from './metrics.ts';

/** A projector may wait until every document is marked dirty. */
export const PROJECT_LIMIT_MS = 600_000;

/**
 * Interval of polls for marks without a notification, as when a worker died after its commit. Short, so that such a change
 * is served as soon as others must be: within 300 ms.
 */
const POLL_MS = 150;
const BACKOFF = { firstMs: 100, maxMs: 10_000 };

export interface ProjectorOptions {
  readonly databaseUrl: string;
  readonly log: Logger;
  readonly watchdog?: Watchdog;
}

export interface RunningProjector {
  /** Resolves when the current transaction has ended. */
  stop(): Promise<void>;
}

/** Keeps the read models current until stopped. Several projectors may run; they share the buckets. */
export function runProjector(
  pool: Pool,
  registry: SourceRegistry,
  { databaseUrl, log, watchdog = processWatchdog }: ProjectorOptions,
): RunningProjector {
  const ending = new AbortController();
  const { signal } = ending;
  let notified = new AbortController();
  const notify = () => notified.abort();
  const liveness = watchdog.watch('project', PROJECT_LIMIT_MS);
  const drainOnce = () => {
    liveness.heartbeat();
    return drain(pool, registry, { signal, onBatch: liveness.heartbeat });
  };
  const onFailure = ({ error, retryMs }: Failure): void => {
    countProjectRetry();
    log.error({ err: error, retryMs }, 'projection failed; retrying');
  };
  const unlessStopped = (error: unknown): null => {
    if (signal.aborted) return null;
    throw error;
  };
  const done = (async () => {
    const listening = listen({
      databaseUrl,
      name: 'projector notifications',
      channels: [MARK_CHANNEL],
      log,
      signal,
      onNotification: notify,
      onListening: notify,
    });
    while (!signal.aborted) {
      // A notification during the drain ends the pause after it.
      notified = new AbortController();
      const totals = await retry(drainOnce, { backoff: BACKOFF, signal, onFailure }).catch(unlessStopped);
      if (totals !== null && totals.marks > 0) log.debug(totals, 'projected');
      await pause(POLL_MS, AbortSignal.any([signal, notified.signal]));
    }
    liveness.stop();
    await listening;
  })();
  return {
    async stop() {
      ending.abort();
      await done;
    },
  };
}
