import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import type { Cause } from '../../../infra/runtime/cause.ts';

/** The Redis in which processes share their limits. While it is unavailable, commands fail immediately. */
export interface LimitStore {
  readonly client: Redis;
  isUp(): boolean;
  /** Why it is unavailable; empty while it is available. */
  causes(): readonly Cause[];
  /** Begins all keys; it keeps them in one slot of a cluster. */
  readonly prefix: string;
  keyOf(kind: string, subject: string): string;
  stop(): void;
}

interface LimitStoreOptions {
  readonly url: string;
  /** Separates installations that share one Redis. */
  readonly prefix?: string | undefined;
  /** Milliseconds without a reply after which Redis counts as unavailable. */
  readonly replyMs?: number;
  /** What processes do while it is unavailable. */
  readonly fallback?: string;
  readonly log: Logger;
}

const DEFAULT_PREFIX = 'linernotes';
const REPLY_MS = 250;
const CONNECT_MS = 1_000;
const MAX_RECONNECT_MS = 1_000;
/** How long a start waits for a Redis that does not respond. */
const START_MS = 1_000;

const FALLBACK = 'each process counts by itself, and rejects previews';

/**
 * Connects to Redis, and waits for it a moment. A request never waits longer than `replyMs`: a connection without a reply is
 * closed, and while there is none commands fail immediately. An outage is one line in the log.
 */
export async function openLimitStore({
  url,
  prefix = DEFAULT_PREFIX,
  replyMs = REPLY_MS,
  fallback = FALLBACK,
  log,
}: LimitStoreOptions): Promise<LimitStore> {
  const client = new Redis(url, {
    connectionName: 'linernotes-limits',
    connectTimeout: CONNECT_MS,
    socketTimeout: replyMs,
    enableAutoPipelining: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (times) => Math.min(50 * 2 ** times, MAX_RECONNECT_MS),
  });
  const unavailable = { what: 'shared limits', detail: `Redis does not respond: ${fallback}` };
  let unavailableSince: Date | null = null;
  let lastError: Error | null = null;
  const first = Promise.withResolvers<void>();

  function onUnavailable(): void {
    first.resolve();
    if (unavailableSince !== null) return;
    unavailableSince = new Date();
    log.error({ err: lastError }, `shared limits are unavailable: ${unavailable.detail}`);
  }

  client.on('error', (error: Error) => {
    lastError = error;
  });
  client.on('close', onUnavailable);
  client.on('ready', () => {
    if (unavailableSince !== null) log.info({ since: unavailableSince }, 'shared limits are available again');
    unavailableSince = null;
    first.resolve();
  });
  const giveUp = setTimeout(onUnavailable, START_MS);
  await first.promise;
  clearTimeout(giveUp);

  const root = `{${prefix}:limits}`;
  return {
    client,
    isUp: () => client.status === 'ready',
    causes: () =>
      unavailableSince === null ? [] : [{ ...unavailable, since: unavailableSince.toISOString() }],
    prefix: root,
    keyOf: (kind, subject) => `${root}:${kind}:${subject}`,
    stop() {
      client.off('close', onUnavailable);
      client.disconnect();
    },
  };
}
