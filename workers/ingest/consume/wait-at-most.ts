import { setTimeout as delay } from 'node:timers/promises';

/** Waits for `promise` for at most `ms`, then lets it go on unobserved. */
export async function waitAtMost(ms: number, promise: Promise<unknown>): Promise<void> {
  const done = new AbortController();
  const limit = delay(ms, undefined, { ref: false, signal: done.signal }).catch(() => {});
  await Promise.race([promise, limit]).finally(() => done.abort());
}
