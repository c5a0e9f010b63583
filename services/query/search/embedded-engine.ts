import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import { throttle } from '../../../infra/runtime/throttle.ts';
import { ApiError } from '../../http/errors.ts';
import type { SearchEngine } from './engine.ts';
import type { FacetList, FacetState } from './list-facets.ts';
import type { IndexResult } from './search-index.ts';
import type {
  ThreadCommand,
  ThreadFailure,
  ThreadMessage,
  ThreadRequest,
  ThreadResult,
  ThreadSettings,
} from './thread-messages.ts';

export interface EmbeddedEngineOptions {
  /** URL of the database with the read models. */
  readonly url: string;
  readonly log: Logger;
}

/** Minimum time between log lines about refresh failures. */
const LOG_EVERY_MS = 30_000;
const STOP_WITHIN_MS = 2_000;

type PendingRequest = Pick<PromiseWithResolvers<ThreadResult>, 'resolve' | 'reject'>;

/** Searches generations in the database, in a worker thread, which starts with the first request and restarts after a crash. */
export function embeddedEngine({ url, log }: EmbeddedEngineOptions): SearchEngine {
  const pending = new Map<number, PendingRequest>();
  let thread: Worker | null = null;
  let lastId = 0;
  let lastFacets: FacetList | null = null;
  /** Whether the thread handles commands yet. */
  let isListening = false;
  let isStopped = false;
  const throttled = throttle(LOG_EVERY_MS);

  function logFailure(failure: ThreadFailure): void {
    throttled(() => log.warn({ failure }, 'cannot refresh the search index; serving the last state'));
  }

  function running(): Worker {
    if (isStopped) throw new ApiError('not_ready');
    if (thread !== null) return thread;
    const settings: ThreadSettings = { url };
    isListening = false;
    const started = new Worker(new URL('./search-thread.ts', import.meta.url), { workerData: settings });
    started.unref();
    started.on('message', (message: ThreadMessage) => {
      if (message === 'listening') {
        isListening = true;
        return;
      }
      if (message.id === null) return logFailure(message.failure);
      const request = pending.get(message.id);
      pending.delete(message.id);
      if ('failure' in message) request?.reject(errorOf(message.failure));
      else request?.resolve(message.result);
    });
    const onEnd = (error: Error): void => {
      if (thread === started) thread = null;
      for (const { reject } of pending.values()) reject(error);
      pending.clear();
    };
    started.on('error', (error: Error) => {
      log.error({ err: error }, 'the search thread crashed');
      onEnd(error);
    });
    started.on('exit', () => onEnd(new ApiError('not_ready')));
    thread = started;
    return started;
  }

  async function send<T extends ThreadResult>(request: ThreadRequest, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    const to = running();
    const id = ++lastId;
    const post = (message: ThreadCommand): void => to.postMessage(message);
    const { promise, resolve, reject } = Promise.withResolvers<ThreadResult>();
    const onAbort = (): void => {
      pending.delete(id);
      post({ id, request: null });
      reject(signal.reason);
    };
    pending.set(id, { resolve, reject });
    signal.addEventListener('abort', onAbort, { once: true });
    // A pending request keeps the process alive.
    to.ref();
    try {
      post({ id, request });
      return (await promise) as T;
    } finally {
      signal.removeEventListener('abort', onAbort);
      if (pending.size === 0) to.unref();
    }
  }

  return {
    search: (query, { signal, isUpToDate }) =>
      send<IndexResult>({ kind: 'search', query, isUpToDate }, signal),
    async facets(signal) {
      const known = lastFacets;
      const request: ThreadRequest = { kind: 'facets', known: known?.state ?? null };
      const found = await send<FacetList | FacetState>(request, signal);
      if (known !== null && !('values' in found)) return { ...known, ...found };
      if (lastFacets?.state !== found.state) lastFacets = found as FacetList;
      return { ...lastFacets, takenAt: found.takenAt };
    },
    findLabel: (name, signal) => send<string | null>({ kind: 'label', name }, signal),
    start() {
      running();
    },
    async stop() {
      isStopped = true;
      const stopping = thread;
      if (stopping === null) return;
      const ended = new Promise<void>((resolve) => stopping.once('exit', () => resolve()));
      stopping.ref();
      stopping.postMessage('stop' satisfies ThreadCommand);
      // A thread that is starting, or waits for a hanging database, would delay the shutdown.
      const timer = setTimeout(() => void stopping.terminate(), isListening ? STOP_WITHIN_MS : 0);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** Restores an error of the thread. */
function errorOf({ message, code, isMissing }: ThreadFailure): Error {
  if (isMissing) return new ApiError('not_ready');
  return Object.assign(new Error(message), code === null ? {} : { code });
}
