import { sorted } from '../order.ts';

type Order<T> = (a: T, b: T) => number;

export interface TopList<T> {
  add(row: T): void;
  /** The first of the added rows. */
  rows(): T[];
}

/** Keeps the first `limit` of any number of rows. @param orders must differ for any two rows */
export function topList<T>(limit: number, ...orders: readonly Order<T>[]): TopList<T> {
  let kept: T[] = [];
  const first = (): T[] => sorted(kept, ...orders).slice(0, limit);
  return {
    add(row) {
      kept.push(row);
      if (kept.length >= 4 * limit) kept = first();
    },
    rows: first,
  };
}
