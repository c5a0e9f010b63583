import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { history, type ProducerChange } from '../support/history/history.ts';
import type { SeededRandom } from './random.ts';

/** Number of separate key ranges, so that a later change rarely hides a lost one. */
const RANGES = 120;
/** One in so many truncates is kept: each empties a table of what all histories put there. */
const TRUNCATES = 25;

/** The changes of a few short histories, each in a random key range. */
export function randomChanges(random: SeededRandom, histories: number): ProducerChange[] {
  return Array.from({ length: histories }, () => random.below(2 ** 31)).flatMap((seed) => {
    const place = random.below(RANGES);
    return fc
      .sample(history, { seed, numRuns: 1 })
      .flat()
      .filter(({ kind }) => kind !== 'truncate' || random.below(TRUNCATES) === 0)
      .map((rowChange) => ({ ...rowChange, row: moved(rowChange.row, place) }));
  });
}

const moved = (row: ProducerChange['row'], place: number): ProducerChange['row'] =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, movedValue(name, value, place)]));

/** Gives the ids and slugs of a row those of a key range. */
function movedValue(name: string, value: unknown, place: number): unknown {
  if (Array.isArray(value)) return value.map((item) => movedValue(name, item, place));
  if (typeof value === 'number') return /_ids?$/.test(name) ? value + 1_000 * place : value;
  if (typeof value !== 'string') return value;
  if (/^([0-9a-f])\1{63}$/.test(value)) return createHash('sha256').update(`${value} ${place}`).digest('hex');
  return /^[a-z]\d$/.test(value) || /slugs?$/.test(name) ? `${value}-${place}` : value;
}
