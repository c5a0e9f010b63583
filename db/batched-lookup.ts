/**
 * Gathers the lookups that arrive in one turn of the event loop and answers them with one statement. At many
 * concurrent requests this is what keeps a keyed read cheap.
 *
 * @param fetch answers for a list of distinct keys; keys without an answer are left out
 */
export function batchedLookup<T>(
  fetch: (keys: readonly string[]) => Promise<ReadonlyMap<string, T>>,
): (key: string) => Promise<T | null> {
  let waiting: Map<string, PromiseWithResolvers<T | null>> | null = null;

  async function flush(): Promise<void> {
    const batch = waiting;
    waiting = null;
    if (batch === null) return;
    try {
      const found = await fetch([...batch.keys()]);
      for (const [key, { resolve }] of batch) resolve(found.get(key) ?? null);
    } catch (error) {
      for (const { reject } of batch.values()) reject(error);
    }
  }

  return (key) => {
    if (waiting === null) {
      waiting = new Map();
      setImmediate(flush);
    }
    let lookup = waiting.get(key);
    if (lookup === undefined) {
      lookup = Promise.withResolvers();
      waiting.set(key, lookup);
    }
    return lookup.promise;
  };
}
