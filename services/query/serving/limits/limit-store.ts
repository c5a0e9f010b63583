import { Redis, type Result } from 'ioredis';
import type { Logger } from 'pino';
import type { Cause } from '../../../../projections/observe/cause.ts';
import { COUNT, SLIDE } from './scripts.ts';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    linernotesCount(keys: number, ...keysAndValues: (string | number)[]): Result<number[], Context>;
    linernotesSlide(keys: number, ...keysAndValues: (string | number)[]): Result<number[], Context>;
  }
}

/** What all processes count in together. */
export interface LimitStore {
  /** Whether it answered when it was last asked; where it did not, it is not asked until it does again. */
  isUp(): boolean;
  /** What is the matter with it; empty where nothing is. */
  causes(): readonly Cause[];
  /** The key for a subject, all keys in one slot of a cluster. */
  keyOf(kind: string, subject: string): string;
  /** Runs `COUNT`. Rejects where it is not up, or does not answer in a fraction of a second. */
  count(keys: readonly string[], values: readonly (string | number)[]): Promise<number[]>;
  /** Runs `SLIDE`, likewise. */
  slide(keys: readonly string[], values: readonly (string | number)[]): Promise<number[]>;
  stop(): void;
}

interface LimitStoreOptions {
  readonly url: string;
  /** Keeps several installations on one Redis apart. */
  readonly prefix?: string | undefined;
  /** Milliseconds that a request waits for an answer; after one that did not come, none waits at all. */
  readonly answerMs?: number;
  readonly log: Logger;
}

const DEFAULT_PREFIX = 'linernotes';
const ANSWER_MS = 250;
const CONNECT_MS = 1_000;
const PROBE_EVERY_MS = 500;
const MOST_BETWEEN_CONNECTS_MS = 1_000;
/** How long a start waits for a Redis that does not answer. */
const START_MS = 1_000;

const AWAY = {
  what: 'shared limits',
  detail: 'Redis does not answer: each process counts by itself, and gives no previews',
};

/**
 * Opens the Redis that limits are shared in. One that is away keeps nobody waiting: it is noticed by the first question
 * that is not answered, and asked in the background until it is back.
 */
export async function openLimitStore({
  url,
  prefix = DEFAULT_PREFIX,
  answerMs = ANSWER_MS,
  log,
}: LimitStoreOptions): Promise<LimitStore> {
  const client = new Redis(url, {
    connectionName: 'linernotes-limits',
    connectTimeout: CONNECT_MS,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (times) => Math.min(50 * 2 ** times, MOST_BETWEEN_CONNECTS_MS),
  });
  client.defineCommand('linernotesCount', { lua: COUNT });
  client.defineCommand('linernotesSlide', { lua: SLIDE });
  const health = storeHealth(log, () =>
    within(answerMs, client.set(`{${prefix}:limits}:probe`, '1', 'PX', PROBE_EVERY_MS)),
  );
  // Told by what comes of it; without a listener it would end the process.
  client.on('error', health.fell);
  client.on('close', () => health.fell(new Error('the connection was closed')));
  client.on('ready', () => void health.probe());
  await health.firstAnswer(START_MS);

  async function ask(command: () => Promise<number[]>): Promise<number[]> {
    if (!health.isUp()) throw new Error('the store of limits does not answer');
    try {
      return await within(answerMs, command());
    } catch (error) {
      health.fell(error);
      throw error;
    }
  }

  return {
    isUp: health.isUp,
    causes: health.causes,
    keyOf: (kind, subject) => `{${prefix}:limits}:${kind}:${subject}`,
    count: (keys, values) => ask(() => client.linernotesCount(keys.length, ...keys, ...values)),
    slide: (keys, values) => ask(() => client.linernotesSlide(keys.length, ...keys, ...values)),
    stop() {
      health.stop();
      client.disconnect();
    },
  };
}

interface StoreHealth {
  isUp(): boolean;
  causes(): readonly Cause[];
  fell(error: unknown): void;
  probe(): Promise<void>;
  /** Resolves once it is known whether it answers, after so many milliseconds at the latest. */
  firstAnswer(limitMs: number): Promise<void>;
  stop(): void;
}

/** Knows whether a store answers: told of failures, and by probes as long as it does not. An outage is one line in the log. */
function storeHealth(log: Logger, ask: () => Promise<unknown>): StoreHealth {
  let isUp = false;
  let since: Date | null = null;
  let isStopped = false;
  const first = Promise.withResolvers<void>();
  const timer = setInterval(() => void probe(), PROBE_EVERY_MS);
  timer.unref();

  function fell(error: unknown): void {
    if (isStopped || since !== null) return;
    isUp = false;
    since = new Date();
    log.error({ err: error }, `shared limits are away: ${AWAY.detail}`);
    first.resolve();
  }

  async function probe(): Promise<void> {
    if (isUp || isStopped) return;
    try {
      await ask();
    } catch {
      return;
    }
    if (isStopped || isUp) return;
    isUp = true;
    if (since !== null) log.info({ since }, 'shared limits are back');
    since = null;
    first.resolve();
  }

  return {
    isUp: () => isUp,
    causes: () => (since === null ? [] : [{ ...AWAY, since: since.toISOString() }]),
    fell,
    probe,
    async firstAnswer(limitMs) {
      const giveUp = setTimeout(
        () => fell(new Error(`no answer within ${limitMs} ms of the start`)),
        limitMs,
      );
      await first.promise;
      clearTimeout(giveUp);
    },
    stop() {
      isStopped = true;
      clearInterval(timer);
    },
  };
}

/** Rejects where the answer takes too long. A process that was held up itself reads what came meanwhile first. */
function within<T>(ms: number, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Error(`no answer within ${ms} ms`));
    const timer = setTimeout(() => setImmediate(() => setImmediate(giveUp)), ms);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
