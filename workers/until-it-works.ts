import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { backoffMs } from './backoff.ts';

const RETRY_MS = { first: 200, most: 10_000 };

export interface Waiting {
  /** Ends the waiting, at once. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** What is tried, as a log line says it. */
  readonly what: string;
}

/** Does `work` again and again until it works, and logs each failure. Null when the signal ends it before that. */
export async function untilItWorks<T>(
  work: () => Promise<T>,
  { signal, log, what }: Waiting,
): Promise<T | null> {
  for (let failures = 1; !signal.aborted; failures++) {
    try {
      return await unlessAborted(work(), signal);
    } catch (error) {
      if (signal.aborted) break;
      const retryMs = Math.round(backoffMs(failures, RETRY_MS));
      log.error({ err: error, failures, retryMs }, `cannot ${what}; waiting`);
      await pause(retryMs, signal);
    }
  }
  return null;
}

/** Waits, but no longer than until the signal. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {});
}

/** What `promise` comes to, or null as soon as the signal is there; it is then left to itself. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | null> {
  if (signal.aborted) {
    promise.catch(() => {});
    return null;
  }
  let stopListening = () => {};
  const aborted = new Promise<null>((resolve) => {
    const onAbort = () => resolve(null);
    signal.addEventListener('abort', onAbort, { once: true });
    stopListening = () => signal.removeEventListener('abort', onAbort);
  });
  // It may fail when nobody waits for it any more.
  promise.catch(() => {});
  return await Promise.race([promise, aborted]).finally(stopListening);
}
