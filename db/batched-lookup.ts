import { AsyncLocalStorage } from 'node:async_hooks';

/** With so many keys the fixed cost of a statement hardly counts. With more, all wait for the last of them. */
const ENOUGH_KEYS = 32;

interface Lookup<T> extends PromiseWithResolvers<T | null> {
  /** The same for all keys that one caller requests without waiting in between, such as a list. */
  readonly list: symbol;
}

type PendingLookups<T> = Map<string, Lookup<T>>;

/**
 * Batches lookups: those of one tick share a statement, and so do those that arrive while a statement is in flight. Two
 * concurrent statements would each be half as large and cost the same, so a lookup gets cheaper as load grows. Under high
 * load a statement takes half of the pending keys, 32 at least, so that some are served while others are read. It never
 * divides the list of one caller.
 *
 * @param fetch reads values for distinct keys and leaves out missing ones
 * @returns a lookup by key; null if `fetch` found none. It rejects with the error of its statement.
 */
export function batchedLookup<T>(
  fetch: (keys: readonly string[]) => Promise<ReadonlyMap<string, T>>,
): (key: string) => Promise<T | null> {
  let pending: PendingLookups<T> = new Map();
  let list: symbol | null = null;
  let isScheduled = false;
  let isInFlight = false;

  function schedule(): void {
    if (isScheduled || isInFlight) return;
    isScheduled = true;
    setImmediate(flushForAll);
  }

  async function flush(): Promise<void> {
    isScheduled = false;
    isInFlight = true;
    const [batch, rest] = divide(pending);
    pending = rest;
    try {
      const found = await fetch([...batch.keys()]);
      for (const [key, { resolve }] of batch) resolve(found.get(key) ?? null);
    } catch (error) {
      for (const { reject } of batch.values()) reject(error);
    } finally {
      isInFlight = false;
      if (pending.size > 0) schedule();
    }
  }

  // A shared statement does not run in the context of the first caller, and does not end with that caller's request.
  const flushForAll = AsyncLocalStorage.bind(flush);

  function startList(): symbol {
    void RESOLVED.then(() => {
      list = null;
    });
    return Symbol();
  }

  return (key) => {
    let lookup = pending.get(key);
    if (lookup === undefined) {
      list ??= startList();
      lookup = { ...Promise.withResolvers<T | null>(), list };
      pending.set(key, lookup);
      schedule();
    }
    return lookup.promise;
  };
}

/** Its reactions run after all that a caller requests synchronously. */
const RESOLVED = Promise.resolve();

/**
 * The lookups that waited longest, and the others. It deletes nothing from a map: V8 copies a map whose keys come and go
 * again and again, and each copy in the old generation keeps the entries of the one before from the collector.
 */
function divide<T>(pending: PendingLookups<T>): readonly [PendingLookups<T>, PendingLookups<T>] {
  const max = Math.max(ENOUGH_KEYS, Math.ceil(pending.size / 2));
  if (pending.size <= max) return [pending, new Map()];
  const first: PendingLookups<T> = new Map();
  const rest: PendingLookups<T> = new Map();
  let last: symbol | null = null;
  for (const [key, lookup] of pending) {
    const isFirst = rest.size === 0 && (first.size < max || lookup.list === last);
    last = lookup.list;
    (isFirst ? first : rest).set(key, lookup);
  }
  return [first, rest];
}
