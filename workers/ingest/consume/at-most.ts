import { setTimeout as delay } from 'node:timers/promises';

/** Waits for `promise`, but not longer than `ms`; it is then left to itself. */
export async function atMost(ms: number, promise: Promise<unknown>): Promise<void> {
  const done = new AbortController();
  const limit = delay(ms, undefined, { ref: false, signal: done.signal }).catch(() => {});
  await Promise.race([promise, limit]).finally(() => done.abort());
}
