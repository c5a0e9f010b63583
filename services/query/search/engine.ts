import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import { ApiError } from '../errors.ts';
import type { FacetList } from './list-facets.ts';
import type { Answer, Failure, FromThread, Question, ThreadSettings, ToThread } from './messages.ts';
import type { SearchQuery } from './query.ts';
import type { IndexFound } from './search-index.ts';

/** The search as the routes see it. Whatever fails is thrown as an error that the service knows how to answer. */
export interface SearchEngine {
  /**
   * @param options.isUpToDate whether changes that are in the read model by now have to be found
   * @throws ApiError `not_ready` while there is no generation
   */
  search(query: SearchQuery, options: { signal: AbortSignal; isUpToDate: boolean }): Promise<IndexFound>;
  facets(signal: AbortSignal): Promise<FacetList>;
  /** A label as it is commonly spelt; null where there is none of that name. */
  findLabel(name: string, signal: AbortSignal): Promise<string | null>;
  /** Opens the index, so that the first search need not. */
  start(): void;
  stop(): Promise<void>;
}

export interface SearchEngineOptions {
  /** Of the database that read models are read from. */
  readonly url: string;
  readonly log: Logger;
}

const RETRY_AFTER_SECONDS = 5;
/** The same trouble is told again only after so long. */
const LOG_EVERY_MS = 30_000;
const STOP_WITHIN_MS = 2_000;

type Asking = Pick<PromiseWithResolvers<Answer>, 'resolve' | 'reject'>;

/** Searches in a thread of its own, which begins with the first question and is begun anew where it breaks off. */
export function searchEngine({ url, log }: SearchEngineOptions): SearchEngine {
  const asking = new Map<number, Asking>();
  let thread: Worker | null = null;
  let lastId = 0;
  /** Whether the thread is up, so that it can be told to end. */
  let isListening = false;
  let isStopped = false;
  let loggedAt = Number.NEGATIVE_INFINITY;

  function logTrouble(failure: Failure): void {
    if (performance.now() - loggedAt < LOG_EVERY_MS) return;
    loggedAt = performance.now();
    log.warn({ failure }, 'the search index cannot keep up; it answers from what it has');
  }

  function running(): Worker {
    if (isStopped) throw new ApiError('not_ready', { retryAfterSeconds: RETRY_AFTER_SECONDS });
    if (thread !== null) return thread;
    const settings: ThreadSettings = { url };
    isListening = false;
    const started = new Worker(new URL('./search-thread.ts', import.meta.url), { workerData: settings });
    started.unref();
    started.on('message', (message: FromThread) => {
      if (message === 'listening') {
        isListening = true;
        return;
      }
      if (message.id === null) return logTrouble(message.failure);
      const asked = asking.get(message.id);
      asking.delete(message.id);
      if ('failure' in message) asked?.reject(errorOf(message.failure));
      else asked?.resolve(message.answer);
    });
    const onEnd = (error: Error): void => {
      if (thread === started) thread = null;
      for (const { reject } of asking.values()) reject(error);
      asking.clear();
    };
    started.on('error', (error: Error) => {
      log.error({ err: error }, 'the thread that searches broke off');
      onEnd(error);
    });
    started.on('exit', () => onEnd(new ApiError('not_ready', { retryAfterSeconds: RETRY_AFTER_SECONDS })));
    thread = started;
    return started;
  }

  async function ask<T extends Answer>(question: Question, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    const to = running();
    const id = ++lastId;
    const post = (message: ToThread): void => to.postMessage(message);
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const onAbort = (): void => {
      asking.delete(id);
      post({ id, question: null });
      reject(signal.reason);
    };
    asking.set(id, { resolve, reject });
    signal.addEventListener('abort', onAbort, { once: true });
    // An answer that somebody waits for keeps the process alive.
    to.ref();
    try {
      post({ id, question });
      return (await promise) as T;
    } finally {
      signal.removeEventListener('abort', onAbort);
      if (asking.size === 0) to.unref();
    }
  }

  return {
    search: (query, { signal, isUpToDate }) => ask<IndexFound>({ kind: 'search', query, isUpToDate }, signal),
    facets: (signal) => ask<FacetList>({ kind: 'facets' }, signal),
    findLabel: (name, signal) => ask<string | null>({ kind: 'label', name }, signal),
    start() {
      running();
    },
    async stop() {
      isStopped = true;
      const stopping = thread;
      if (stopping === null) return;
      const ended = new Promise<void>((resolve) => stopping.once('exit', () => resolve()));
      stopping.ref();
      stopping.postMessage('stop' satisfies ToThread);
      // One that waits for a database that does not answer would keep us for too long, and so would one that only begins.
      const timer = setTimeout(() => void stopping.terminate(), isListening ? STOP_WITHIN_MS : 0);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** An error of the thread, as the database would have thrown it here. */
function errorOf({ message, code, isMissing }: Failure): Error {
  if (isMissing) return new ApiError('not_ready', { retryAfterSeconds: RETRY_AFTER_SECONDS });
  return Object.assign(new Error(message), code === null ? {} : { code });
}
