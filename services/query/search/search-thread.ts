import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { connect } from '../../../db/connect.ts';
import { NoGeneration, openSearchIndex } from './search-index.ts';
import type {
  ThreadCommand,
  ThreadFailure,
  ThreadMessage,
  ThreadRequest,
  ThreadResult,
  ThreadSettings,
} from './thread-messages.ts';

/**
 * The search thread, which keeps searches off the event loop of the service. It has its own database connections and
 * completes requests in any order.
 */

const POLL_EVERY_MS = 1_000;
const POOL = {
  max: 4,
  connectionTimeoutMillis: 5_000,
  statement_timeout: 12_500,
  longestHoldMs: 13_000,
};

const port = parentPort;
if (port === null) throw new Error('this file is a worker thread of the query service, not a program');
const { url } = workerData as ThreadSettings;
const pool = connect(url, 'query search', POOL);
const index = openSearchIndex(pool);
const inFlight = new Map<number, AbortController>();
const stopping = new AbortController();

const post = (message: ThreadMessage): void => port.postMessage(message);

function failureOf(error: unknown): ThreadFailure {
  const { message = String(error), code } = error as { message?: string; code?: unknown };
  return {
    message,
    code: typeof code === 'string' ? code : null,
    isMissing: error instanceof NoGeneration,
  };
}

async function run(request: ThreadRequest, signal: AbortSignal): Promise<ThreadResult> {
  switch (request.kind) {
    case 'search':
      if (request.isUpToDate) await index.refresh();
      return index.search(request.query, signal);
    case 'facets': {
      const list = await index.facets();
      // Equal values need no copy.
      return list.state === request.known ? { state: list.state, takenAt: list.takenAt } : list;
    }
    case 'label':
      return index.findLabel(request.name);
  }
}

port.on('message', async (message: ThreadCommand) => {
  if (message === 'stop') {
    stopping.abort();
    return;
  }
  const { id, request } = message;
  if (request === null) {
    inFlight.get(id)?.abort();
    return;
  }
  const controller = new AbortController();
  inFlight.set(id, controller);
  try {
    post({ id, result: await run(request, controller.signal) });
  } catch (error) {
    post({ id, failure: failureOf(error) });
  } finally {
    inFlight.delete(id);
  }
});

post('listening');
while (!stopping.signal.aborted) {
  try {
    await index.refresh();
  } catch (error) {
    post({ id: null, failure: failureOf(error) });
  }
  await pause(POLL_EVERY_MS, undefined, { signal: stopping.signal }).catch(() => {});
}
port.close();
await pool.end();
