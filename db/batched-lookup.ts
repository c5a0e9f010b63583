import { AsyncLocalStorage } from 'node:async_hooks';

/** Keys with which what a statement costs by itself hardly counts. With more, all wait for the last of them. */
const ENOUGH = 32;

interface Lookup<T> extends PromiseWithResolvers<T | null> {
  /** The same for all that are asked for without a wait between them, as the keys of a list. */
  readonly asking: symbol;
}

type Waiting<T> = Map<string, Lookup<T>>;

/**
 * Gathers lookups and answers them with few statements: all that arrive in one turn of the event loop share one, and so
 * do those that arrive while one is under way, for two at a time would each be half as large and cost the same. The
 * busier it is, the cheaper a lookup becomes. Where many wait a statement takes half of them, 32 at least, so that some
 * are answered while the others are looked up. A list of keys that nobody waits for yet is never divided.
 *
 * @param fetch answers for a list of distinct keys; keys without an answer are left out
 */
export function batchedLookup<T>(
  fetch: (keys: readonly string[]) => Promise<ReadonlyMap<string, T>>,
): (key: string) => Promise<T | null> {
  let waiting: Waiting<T> = new Map();
  let asking: symbol | null = null;
  let isScheduled = false;
  let isUnderWay = false;

  function schedule(): void {
    if (isScheduled || isUnderWay) return;
    isScheduled = true;
    setImmediate(flushForAll);
  }

  async function flush(): Promise<void> {
    isScheduled = false;
    isUnderWay = true;
    const [batch, rest] = divide(waiting);
    waiting = rest;
    try {
      const found = await fetch([...batch.keys()]);
      for (const [key, { resolve }] of batch) resolve(found.get(key) ?? null);
    } catch (error) {
      for (const { reject } of batch.values()) reject(error);
    } finally {
      isUnderWay = false;
      if (waiting.size > 0) schedule();
    }
  }

  // What many wait for is not done in the name of whoever came first, and does not end with them.
  const flushForAll = AsyncLocalStorage.bind(flush);

  function beginAsking(): symbol {
    void SOON.then(() => {
      asking = null;
    });
    return Symbol();
  }

  return (key) => {
    let lookup = waiting.get(key);
    if (lookup === undefined) {
      asking ??= beginAsking();
      lookup = { ...Promise.withResolvers<T | null>(), asking };
      waiting.set(key, lookup);
      schedule();
    }
    return lookup.promise;
  };
}

/** What is done then comes after all that is asked for in one go. */
const SOON = Promise.resolve();

/**
 * Those who have waited longest, and the others. Nothing is taken out of a map: one where keys come and go is copied time
 * and again, and each copy keeps all that the one before it held from the collector, for as long as that one is in its
 * old generation.
 */
function divide<T>(waiting: Waiting<T>): readonly [Waiting<T>, Waiting<T>] {
  const most = Math.max(ENOUGH, Math.ceil(waiting.size / 2));
  if (waiting.size <= most) return [waiting, new Map()];
  const first: Waiting<T> = new Map();
  const rest: Waiting<T> = new Map();
  let last: symbol | null = null;
  for (const [key, lookup] of waiting) {
    const isFirst = rest.size === 0 && (first.size < most || lookup.asking === last);
    last = lookup.asking;
    (isFirst ? first : rest).set(key, lookup);
  }
  return [first, rest];
}
