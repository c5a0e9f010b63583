import { LinernotesError } from './linernotes-error.ts';
import { retryAfterOf } from './retry-after.ts';

export type Fetch = (request: Request) => Promise<Response>;

export interface RetryOptions {
  /** Maximum number of retries. */
  readonly retries: number;
  /** Maximum milliseconds for a request with all attempts and waits. */
  readonly budgetMs: number;
  /** Maximum milliseconds for one attempt. */
  readonly attemptMs: number;
}

/** An attempt may take longer than the deadline of the service, which responds by then. */
export const DEFAULT_RETRIES: RetryOptions = { retries: 4, budgetMs: 45_000, attemptMs: 20_000 };

export interface RetryTiming {
  /** Milliseconds since 1970. */
  now(): number;
  /** Rejects with the reason of the signal if it aborts first. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** From 0 up to 1. */
  random(): number;
}

/** Overload and rate limits: the service did nothing. */
const TEMPORARY: ReadonlySet<number> = new Set([429, 503]);

/** Operations that change nothing, or count once even if they are repeated. */
export const REPEATABLE_POSTS: readonly string[] = [
  '/api/v2/resolve/batch',
  '/api/v2/tracks/resolve',
  '/api/v2/search-events/observed',
  '/api/v2/search-events/refined',
];

const FIRST_WAIT_MS = 250;
const MOST_WAIT_MS = 8_000;
/** Rate windows end for many clients at the same time. */
const SPREAD_MS = 500;

/**
 * Retries requests that the service rejected temporarily, after its Retry-After. Retries failed connections if the request
 * is repeatable. Responses come with their complete body. A wait beyond the budget ends the request.
 *
 * @throws LinernotesError `network_error` or `timed_out` if no response arrived; the reason of the request's signal
 */
export function withRetries(fetch: Fetch, options: RetryOptions, timing: RetryTiming = realTime): Fetch {
  return async (request) => {
    const deadline = timing.now() + options.budgetMs;
    for (let attempt = 0; ; attempt++) {
      const leftMs = Math.max(1, deadline - timing.now());
      const outcome = await tryOnce(fetch, request, Math.min(options.attemptMs, leftMs));
      const waitMs = attempt < options.retries ? waitOf(outcome, { request, attempt, timing }) : null;
      if (waitMs === null || timing.now() + waitMs >= deadline) {
        if (outcome instanceof LinernotesError) throw outcome;
        return outcome;
      }
      await timing.sleep(waitMs, request.signal);
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
    return await withBody(await fetch(new Request(request.clone(), { signal })));
  } catch (cause) {
    // An abort by the caller is not a network error.
    request.signal.throwIfAborted();
    if (timeout.aborted)
      return new LinernotesError({ code: 'timed_out', message: 'No response arrived in time.', cause });
    const message = `No response arrived from ${new URL(request.url).origin}.`;
    return new LinernotesError({ code: 'network_error', message, cause });
  }
}

/** The response with its body read: a connection that breaks within the body counts as failed. */
async function withBody(response: Response): Promise<Response> {
  const body = await response.arrayBuffer();
  return new Response(body.byteLength === 0 ? null : body, response);
}

/** Milliseconds until the next attempt; null if there is none. */
function waitOf(
  outcome: Response | LinernotesError,
  { request, attempt, timing }: { request: Request; attempt: number; timing: RetryTiming },
): number | null {
  const { now, random } = timing;
  if (outcome instanceof LinernotesError ? !isRepeatable(request) : !TEMPORARY.has(outcome.status))
    return null;
  const retryAfter = outcome instanceof LinernotesError ? null : retryAfterOf(outcome.headers, now());
  if (retryAfter !== null) return retryAfter * 1_000 + random() * SPREAD_MS;
  return random() * Math.min(MOST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt);
}

const isRepeatable = ({ method, url }: Request): boolean =>
  method === 'GET' ||
  method === 'HEAD' ||
  REPEATABLE_POSTS.some((path) => new URL(url).pathname.endsWith(path));

const realTime: RetryTiming = {
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
