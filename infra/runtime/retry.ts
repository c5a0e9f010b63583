import { setTimeout as delay } from 'node:timers/promises';
import pRetry from 'p-retry';
import type { Logger } from 'pino';

/** Bounds of the pauses between attempts, in milliseconds. */
export interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
}

/**
 * The pause after so many failures in a row, in milliseconds. It doubles each time within the bounds, and it is random
 * by half, so that clients which failed together do not come back together. For timers; loops use `retry`.
 */
export function backoffMs(failures: number, { firstMs, maxMs }: Backoff): number {
  const longest = Math.min(firstMs * 2 ** Math.max(0, failures - 1), maxMs);
  return longest * (0.5 + Math.random() / 2);
}

export interface Failure {
  readonly error: unknown;
  /** Failed attempts in a row, this one included. */
  readonly failures: number;
  /** Pause before the next attempt. */
  readonly retryMs: number;
}

export interface RetryPolicy {
  readonly backoff: Backoff;
  /** Ends a pause immediately. An attempt in progress ends first, because it may have acquired something. */
  readonly signal?: AbortSignal | undefined;
  /** Default: no limit. */
  readonly retries?: number;
  /** Default: every error. */
  readonly isRetryable?: (error: unknown) => boolean;
  readonly onFailure?: (failure: Failure) => void;
}

/** Hides errors from p-retry, which gives up on every TypeError. */
class FailedAttempt extends Error {}

/**
 * Repeats `work` until it succeeds, with growing pauses.
 *
 * @throws the error of the last attempt if it is not retryable or no retry is left; the signal's reason once it aborts
 */
export async function retry<T>(work: () => Promise<T>, options: RetryPolicy): Promise<T> {
  const { backoff, signal, retries = Number.POSITIVE_INFINITY } = options;
  const { isRetryable = () => true, onFailure = () => {} } = options;
  const results: T[] = [];
  const attempt = async (): Promise<void> => {
    try {
      results.push(await work());
    } catch (error) {
      throw new FailedAttempt('attempt failed', { cause: error });
    }
  };
  try {
    await pRetry(attempt, {
      retries,
      minTimeout: backoff.firstMs / 2,
      maxTimeout: backoff.maxMs,
      randomize: true,
      ...(signal === undefined ? {} : { signal }),
      shouldRetry: ({ error, attemptNumber, retryDelay }) => {
        if (!isRetryable(error.cause)) return false;
        onFailure({ error: error.cause, failures: attemptNumber, retryMs: retryDelay });
        return true;
      },
    });
  } catch (error) {
    // p-retry drops the result of an attempt that succeeds after the signal.
    if (results.length === 0) throw error instanceof FailedAttempt ? error.cause : error;
  }
  return results[0] as T;
}

const FOREVER: Backoff = { firstMs: 200, maxMs: 10_000 };

export interface RetryForeverOptions {
  /** Ends the retries immediately, even during an attempt. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** What is attempted, for the log: `cannot <what>`. */
  readonly what: string;
}

/** Repeats `work` until it succeeds and logs each failure. Null if the signal aborts first. */
export async function retryForever<T>(
  work: () => Promise<T>,
  { signal, log, what }: RetryForeverOptions,
): Promise<T | null> {
  try {
    return await retry(() => unlessAborted(work(), signal), {
      backoff: FOREVER,
      signal,
      onFailure: ({ error, failures, retryMs }) =>
        log.error({ err: error, failures, retryMs }, `cannot ${what}; retrying`),
    });
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}

/** Resolves after `ms`, or as soon as the signal aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {});
}

/** The result of `promise`, or null as soon as the signal aborts; the promise itself goes on unobserved. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | null> {
  // It may fail when no caller waits for it any more.
  promise.catch(() => {});
  if (signal.aborted) return null;
  let stopListening = () => {};
  const aborted = new Promise<null>((resolve) => {
    const onAbort = () => resolve(null);
    signal.addEventListener('abort', onAbort, { once: true });
    stopListening = () => signal.removeEventListener('abort', onAbort);
  });
  return await Promise.race([promise, aborted]).finally(stopListening);
}
