import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Shares one result among all calls while it is computed and for `ms` after that began. An error reaches the calls that
 * wait for it and is not kept.
 *
 * @param now milliseconds
 */
export function memoizeFor<T>(
  ms: number,
  make: () => Promise<T>,
  now: () => number = () => performance.now(),
): () => Promise<T> {
  // Outside the context of the first caller, with whose request it would end.
  const makeForAll = AsyncLocalStorage.bind(make);
  let shared: { readonly result: Promise<T>; readonly startedAt: number; isDone: boolean } | null = null;
  return () => {
    if (shared !== null && (!shared.isDone || now() - shared.startedAt < ms)) return shared.result;
    const mine = { result: makeForAll(), startedAt: now(), isDone: false };
    shared = mine;
    mine.result.then(
      () => {
        mine.isDone = true;
      },
      () => {
        if (shared === mine) shared = null;
      },
    );
    return mine.result;
  };
}
