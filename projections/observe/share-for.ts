import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * One answer for all who ask while it is made and for `ms` after it was begun. A failure reaches those who wait for
 * it and is forgotten.
 *
 * @param now milliseconds
 */
export function shareFor<T>(
  ms: number,
  make: () => Promise<T>,
  now: () => number = () => performance.now(),
): () => Promise<T> {
  // Not in the name of whoever asks first, with whom it would end.
  const makeForAll = AsyncLocalStorage.bind(make);
  let shared: { readonly answer: Promise<T>; readonly begunAt: number; isMade: boolean } | null = null;
  return () => {
    if (shared !== null && (!shared.isMade || now() - shared.begunAt < ms)) return shared.answer;
    const mine = { answer: makeForAll(), begunAt: now(), isMade: false };
    shared = mine;
    mine.answer.then(
      () => {
        mine.isMade = true;
      },
      () => {
        if (shared === mine) shared = null;
      },
    );
    return mine.answer;
  };
}
