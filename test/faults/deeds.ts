import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { type Deed, history } from '../history/history.ts';
import type { Random } from './random.ts';

/** Histories that lie beside each other, so that a change which got lost is not soon covered by another. */
const PLACES = 120;
/** One in so many truncates is kept: each empties a table of what all histories put there. */
const TRUNCATES = 25;

/** What producers do in a few short histories, each in a place of its own. */
export function someDeeds(random: Random, histories: number): Deed[] {
  return Array.from({ length: histories }, () => random.below(2 ** 31)).flatMap((seed) => {
    const place = random.below(PLACES);
    return fc
      .sample(history, { seed, numRuns: 1 })
      .flat()
      .filter(({ kind }) => kind !== 'truncate' || random.below(TRUNCATES) === 0)
      .map((deed) => ({ ...deed, row: moved(deed.row, place) }));
  });
}

const moved = (row: Deed['row'], place: number): Deed['row'] =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, movedValue(name, value, place)]));

/** Ids and slugs of a place are other ones than those of the next, in every row that names them. */
function movedValue(name: string, value: unknown, place: number): unknown {
  if (Array.isArray(value)) return value.map((item) => movedValue(name, item, place));
  if (typeof value === 'number') return /_ids?$/.test(name) ? value + 1_000 * place : value;
  if (typeof value !== 'string') return value;
  if (/^([0-9a-f])\1{63}$/.test(value)) return createHash('sha256').update(`${value} ${place}`).digest('hex');
  return /^[a-z]\d$/.test(value) || /slugs?$/.test(name) ? `${value}-${place}` : value;
}
