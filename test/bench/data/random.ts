/** Numbers that look random and are the same for the same seed. */
export interface Random {
  /** In [0, 1). */
  fraction(): number;
  /** Whole, from `least` to `most`, both included. */
  whole(least: number, most: number): number;
  chance(probability: number): boolean;
  pick<T>(values: readonly T[]): T;
}

/** mulberry32, started from the seed and the stream's number, so that each stream stands alone. */
export function randomOf(seed: number, stream: number): Random {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(stream + 1, 0xc2b2ae35);
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (least: number, most: number): number => least + Math.floor(fraction() * (most - least + 1));
  return {
    fraction,
    whole,
    chance: (probability) => fraction() < probability,
    pick: (values) => {
      const value = values[whole(0, values.length - 1)];
      if (value === undefined) throw new Error('nothing to pick from');
      return value;
    },
  };
}

const HEX = '0123456789abcdef';

export function hexText(random: Random, digits: number): string {
  let text = '';
  while (text.length < digits) text += HEX[random.whole(0, 15)];
  return text;
}

export const uuidText = (random: Random): string =>
  [8, 4, 4, 4, 12].map((digits) => hexText(random, digits)).join('-');

/** A number with two decimals. */
export const decimal = (random: Random, least: number, most: number): number =>
  random.whole(least * 100, most * 100) / 100;

const DAY_MS = 86_400_000;
const LAST_DAY = Date.UTC(2019, 5, 30);

/** A day of the `years` before mid 2019, YYYY-MM-DD. */
export const randomDay = (random: Random, years: number): string =>
  new Date(LAST_DAY - random.whole(0, years * 365) * DAY_MS).toISOString().slice(0, 10);

/** An instant of those years, without a fraction. */
export const randomInstant = (random: Random, years: number): string =>
  `${randomDay(random, years)}T${String(random.whole(0, 23)).padStart(2, '0')}:${String(random.whole(0, 59)).padStart(2, '0')}:00Z`;
