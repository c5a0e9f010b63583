/** Numbers that follow from a seed (mulberry32). */
export interface SeededRandom {
  /** A whole number below `limit`. */
  below(limit: number): number;
  oneOf<T>(all: readonly T[]): T;
  shuffled<T>(all: readonly T[]): T[];
}

export function randomFrom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    oneOf: (all) => all[below(all.length)] as (typeof all)[number],
    shuffled(all) {
      const left = [...all];
      return all.map(() => left.splice(below(left.length), 1)[0] as (typeof all)[number]);
    },
  };
}
