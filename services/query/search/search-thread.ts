import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { connect } from '../../../db/connect.ts';
import type { Answer, Failure, FromThread, Question, ThreadSettings, ToThread } from './messages.ts';
import { NoGeneration, openSearchIndex } from './search-index.ts';

/**
 * The thread that searches, so that the one that serves never waits for it. It reads the index with connections of its
 * own, and answers questions in any order.
 */

const LOOK_EVERY_MS = 1_000;
const POOL = {
  max: 4,
  connectionTimeoutMillis: 5_000,
  statement_timeout: 12_500,
  longestHoldMs: 13_000,
};

const port = parentPort;
if (port === null) throw new Error('this is a thread of the query service, not a program');
const { url } = workerData as ThreadSettings;
const pool = connect(url, 'query search', POOL);
const index = openSearchIndex(pool);
const waiting = new Map<number, AbortController>();
const stopping = new AbortController();

const tell = (message: FromThread): void => port.postMessage(message);

function failureOf(error: unknown): Failure {
  const { message = String(error), code } = error as { message?: string; code?: unknown };
  return {
    message,
    code: typeof code === 'string' ? code : null,
    isMissing: error instanceof NoGeneration,
  };
}

async function answer(question: Question, signal: AbortSignal): Promise<Answer> {
  switch (question.kind) {
    case 'search':
      if (question.isUpToDate) await index.refresh();
      return index.search(question.query, signal);
    case 'facets':
      return index.facets();
    case 'label':
      return index.findLabel(question.name);
  }
}

port.on('message', async (message: ToThread) => {
  if (message === 'stop') {
    stopping.abort();
    return;
  }
  const { id, question } = message;
  if (question === null) {
    waiting.get(id)?.abort();
    return;
  }
  const asking = new AbortController();
  waiting.set(id, asking);
  try {
    tell({ id, answer: await answer(question, asking.signal) });
  } catch (error) {
    tell({ id, failure: failureOf(error) });
  } finally {
    waiting.delete(id);
  }
});

tell('listening');
while (!stopping.signal.aborted) {
  try {
    await index.refresh();
  } catch (error) {
    tell({ id: null, failure: failureOf(error) });
  }
  await pause(LOOK_EVERY_MS, undefined, { signal: stopping.signal }).catch(() => {});
}
port.close();
await pool.end();
