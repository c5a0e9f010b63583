type Rank = string | number | null;

type Order<T> = (a: T, b: T) => number;

/** Smallest first; null (unknown) last. */
export const ascending = <T>(rankOf: (row: T) => Rank): Order<T> => {
  return (a, b) => compare(rankOf(a), rankOf(b), 1);
};

/** Greatest first; null (unknown) last. */
export const descending = <T>(rankOf: (row: T) => Rank): Order<T> => {
  return (a, b) => compare(rankOf(a), rankOf(b), -1);
};

/** A sorted copy: the first order in which two rows differ decides. */
export function sorted<T>(rows: readonly T[], ...orders: Order<T>[]): T[] {
  return rows.toSorted((a, b) => {
    for (const order of orders) {
      const difference = order(a, b);
      if (difference !== 0) return difference;
    }
    return 0;
  });
}

function compare(a: Rank, b: Rank, direction: 1 | -1): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  return a < b ? -direction : direction;
}
