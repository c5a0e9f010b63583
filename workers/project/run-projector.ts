import { Client, type Pool } from 'pg';
import type { Logger } from 'pino';
import type { Watchdog } from '../../projections/observe/watchdog.ts';
import type { SourceRegistry } from '../../projections/projection.ts';
import { MARK_CHANNEL } from '../../projections/store/mark.ts';
import { countRetry } from '../watch/metrics.ts';
import { watchdog as ofProcess, TURN_LIMIT_MS } from '../watch/watchdog.ts';
import { drain } from './drain.ts';

/** How long a projector waits for news before it looks by itself, for marks whose notice was lost. */
const POLL_MS = 1_000;
const RETRY_MS = { first: 100, most: 10_000 };

export interface RunningProjector {
  /** Ends after the transaction in hand. */
  stop(): Promise<void>;
}

/** Keeps the read models up to date until stopped. Several may run, here and elsewhere; they share the buckets. */
export function runProjector(
  pool: Pool,
  url: string,
  registry: SourceRegistry,
  log: Logger,
  watchdog: Watchdog = ofProcess,
): RunningProjector {
  const ending = new AbortController();
  const news = new News();
  const heart = watchdog.watch('project', TURN_LIMIT_MS.project);
  const done = (async () => {
    const listener = keepListening(url, news, ending.signal, log);
    for (let retryMs = RETRY_MS.first; !ending.signal.aborted; ) {
      heart.beat();
      const seen = news.count;
      try {
        const totals = await drain(pool, registry, ending.signal, heart.beat);
        if (totals.marks > 0) log.debug(totals, 'projected');
        retryMs = RETRY_MS.first;
        if (news.count === seen) await news.next(POLL_MS, ending.signal);
      } catch (error) {
        countRetry('project');
        log.error({ err: error, retryMs }, 'projection failed and will be tried again');
        await news.next(retryMs * (0.5 + Math.random()), ending.signal);
        retryMs = Math.min(retryMs * 2, RETRY_MS.most);
      }
    }
    heart.stop();
    await listener;
  })();
  return {
    async stop() {
      ending.abort();
      await done;
    },
  };
}

/** A count of notices that can be waited on. */
class News {
  count = 0;
  #wake: () => void = () => {};

  announce(): void {
    this.count++;
    this.#wake();
  }

  /** Resolves on the next notice, after `ms`, or when the signal aborts. */
  next(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(end, ms);
      const wake = end;
      function end() {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      }
      this.#wake = wake;
      signal.addEventListener('abort', end);
      if (signal.aborted) end();
    });
  }
}

async function keepListening(url: string, news: News, signal: AbortSignal, log: Logger): Promise<void> {
  while (!signal.aborted) {
    const client = new Client({
      connectionString: url,
      application_name: 'linernotes projector news',
    });
    // One that breaks may say so more than once.
    client.on('error', () => {});
    try {
      await client.connect();
      await client.query(`listen ${MARK_CHANNEL}`);
      client.on('notification', () => news.announce());
      await new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve(), { once: true });
        client.once('error', () => resolve());
        client.once('end', () => resolve());
        if (signal.aborted) resolve();
      });
    } catch (error) {
      log.warn({ err: error }, 'cannot listen for marks; polling meanwhile');
      await news.next(POLL_MS, signal);
    } finally {
      await client.end().catch(() => {});
    }
  }
}
