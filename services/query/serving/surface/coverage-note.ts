import { semanticsOf } from '../../../../projections/semantics/index.ts';
import type { Source } from '../../../../projections/sources/contract.ts';
import type { SurfaceSource } from '../../../../projections/sources/surfaces.ts';
import type { Seen } from './liveness.ts';

const ORIGIN: Readonly<Record<Source['tier'], (owner: string) => string>> = {
  authority: (owner) => `Decided by ${owner} and`,
  observed: (owner) => `Observed by ${owner} and`,
  derived: (owner) => `Derived by ${owner} from what was observed, and`,
};
const EVERY: Readonly<Record<Source['cadence'], string>> = {
  realtime: 'as it changes',
  hourly: 'every hour',
  daily: 'every day',
  weekly: 'every week',
  monthly: 'every month',
};

/** What it means that a surface has a row, and that it has none. */
export function coverageNote(source: SurfaceSource): string {
  const { owner, subject, cadence, tier, table } = source;
  const limits = semanticsOf(table)?.honest_limits ?? null;
  return [
    `${ORIGIN[tier](owner)} refreshed ${EVERY[cadence]}.`,
    `No row means that ${owner} has none of this ${subject.kind}, not that there is nothing to know.`,
    ...(limits === null ? [] : [limits]),
  ].join(' ');
}

/** Of a producer that has not delivered yet, a missing row says nothing. */
const NOTHING_RECEIVED = 'Nothing has been received of this surface yet.';

/** The note of a surface as it stands; that of the contract where nobody could look. */
export const presentNote = (note: string, seen: Seen | undefined): string =>
  seen?.hasDelivered === false ? NOTHING_RECEIVED : note;
