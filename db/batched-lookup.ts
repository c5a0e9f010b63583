import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Gathers lookups and answers them with few statements: all that arrive in one turn of the event loop share one, and
 * so do all that arrive while one is under way, for two at a time would each be half as large and cost the same. The
 * busier it is, the cheaper a lookup becomes.
 *
 * @param fetch answers for a list of distinct keys; keys without an answer are left out
 */
export function batchedLookup<T>(
  fetch: (keys: readonly string[]) => Promise<ReadonlyMap<string, T>>,
): (key: string) => Promise<T | null> {
  let waiting = new Map<string, PromiseWithResolvers<T | null>>();
  let isScheduled = false;
  let isUnderWay = false;

  function schedule(): void {
    if (isScheduled || isUnderWay || waiting.size === 0) return;
    isScheduled = true;
    setImmediate(flushForAll);
  }

  async function flush(): Promise<void> {
    isScheduled = false;
    const batch = waiting;
    waiting = new Map();
    isUnderWay = true;
    try {
      const found = await fetch([...batch.keys()]);
      for (const [key, { resolve }] of batch) resolve(found.get(key) ?? null);
    } catch (error) {
      for (const { reject } of batch.values()) reject(error);
    } finally {
      isUnderWay = false;
      schedule();
    }
  }

  // What many wait for is not done in the name of whoever came first, and does not end with them.
  const flushForAll = AsyncLocalStorage.bind(flush);

  return (key) => {
    let lookup = waiting.get(key);
    if (lookup === undefined) {
      lookup = Promise.withResolvers();
      waiting.set(key, lookup);
      schedule();
    }
    return lookup.promise;
  };
}
