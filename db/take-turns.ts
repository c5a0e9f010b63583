/** Does work as soon as it is its turn; settles as the work does. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** Lets so much work be under way at a time. What comes later waits, in the order in which it came. */
export function takeTurns(atOnce: number): InTurn {
  let free = atOnce;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    }
  };
}
