import { LinernotesError } from './linernotes-error.ts';
import { retryAfterOf } from './retry-after.ts';

export type Fetch = (request: Request) => Promise<Response>;

export interface RetryOptions {
  /** How often a request is sent again, at most. */
  readonly retries: number;
  /** Milliseconds that a request may take with all its attempts and the waits between them. */
  readonly budgetMs: number;
  /** Milliseconds that one attempt may take. */
  readonly attemptMs: number;
}

/** An attempt may take longer than the deadline of the service, which answers by it. */
export const DEFAULT_RETRIES: RetryOptions = { retries: 4, budgetMs: 45_000, attemptMs: 20_000 };

export interface Waiting {
  /** Milliseconds since 1970. */
  now(): number;
  /** Rejects with the reason of the signal when that comes first. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** From 0 up to 1. */
  random(): number;
}

/** Refused, with nothing done: overload and limits that pass. */
const PASSING: ReadonlySet<number> = new Set([429, 503]);

/** Operations that change nothing, or count once however often they are sent. */
export const REPEATABLE_POSTS: readonly string[] = [
  '/api/v2/resolve/batch',
  '/api/v2/tracks/resolve',
  '/api/v2/search-events/observed',
  '/api/v2/search-events/refined',
];

const FIRST_WAIT_MS = 250;
const MOST_WAIT_MS = 8_000;
/** Windows of limits end for many clients at once. */
const SPREAD_MS = 500;

/**
 * Sends requests again that were refused for the moment, after as long as the service asks, and those that nobody
 * answered where sending twice does no harm. Answers come whole. What does not fit the budget is not waited for.
 *
 * @throws LinernotesError `network_error` or `timed_out` where no answer came; the reason of the request's signal
 */
export function withRetries(fetch: Fetch, options: RetryOptions, waiting: Waiting = realTime): Fetch {
  return async (request) => {
    const deadline = waiting.now() + options.budgetMs;
    for (let attempt = 0; ; attempt++) {
      const leftMs = Math.max(1, deadline - waiting.now());
      const outcome = await tryOnce(fetch, request, Math.min(options.attemptMs, leftMs));
      const waitMs = attempt < options.retries ? waitOf(outcome, request, attempt, waiting) : null;
      if (waitMs === null || waiting.now() + waitMs >= deadline) {
        if (outcome instanceof LinernotesError) throw outcome;
        return outcome;
      }
      await waiting.sleep(waitMs, request.signal);
    }
  };
}

async function tryOnce(
  fetch: Fetch,
  request: Request,
  timeoutMs: number,
): Promise<Response | LinernotesError> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([request.signal, timeout]);
  try {
    return await whole(await fetch(new Request(request.clone(), { signal })));
  } catch (cause) {
    // Who gave up is told so, not that the network failed.
    request.signal.throwIfAborted();
    if (timeout.aborted)
      return new LinernotesError({ code: 'timed_out', message: 'No answer came in time.', cause });
    const message = `No answer came from ${new URL(request.url).origin}.`;
    return new LinernotesError({ code: 'network_error', message, cause });
  }
}

/** The answer with its body read, so that a connection that breaks amid the body counts as one that failed. */
async function whole(answer: Response): Promise<Response> {
  const body = await answer.arrayBuffer();
  return new Response(body.byteLength === 0 ? null : body, answer);
}

/** Milliseconds after which the request is to be sent again; null where it is not. */
function waitOf(
  outcome: Response | LinernotesError,
  request: Request,
  attempt: number,
  { now, random }: Waiting,
): number | null {
  if (outcome instanceof LinernotesError ? !isRepeatable(request) : !PASSING.has(outcome.status)) return null;
  const asked = outcome instanceof LinernotesError ? null : retryAfterOf(outcome.headers, now());
  if (asked !== null) return asked * 1_000 + random() * SPREAD_MS;
  return random() * Math.min(MOST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt);
}

const isRepeatable = ({ method, url }: Request): boolean =>
  method === 'GET' ||
  method === 'HEAD' ||
  REPEATABLE_POSTS.some((path) => new URL(url).pathname.endsWith(path));

const realTime: Waiting = {
  now: Date.now,
  random: Math.random,
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const onAbort = (): void => {
        clearTimeout(timer);
        reject(signal.reason);
      };
      const timer = setTimeout(() => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      }, ms);
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort);
    }),
};
