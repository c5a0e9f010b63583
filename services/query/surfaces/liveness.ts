import type { Source } from '../../../projections/contracts/contract.ts';
import type { SurfaceSource } from '../../../projections/contracts/surfaces.ts';
import { semanticsOf } from '../../../projections/models/semantics/index.ts';

/** `populated`; `advisory` if its source is stale; `empty` if the surface has no row. */
export const LIVENESS = ['populated', 'advisory', 'empty'] as const;
export type Liveness = (typeof LIVENESS)[number];

/** Rows and deliveries of a surface. */
export interface SurfaceActivity {
  readonly hasRows: boolean;
  /** Whether its producer has ever delivered a row, even if it was deleted since. */
  readonly hasDelivered: boolean;
}

/** The liveness of a surface that could not be read: its rows may be outdated. */
export const UNMEASURED: Liveness = 'advisory';

export function livenessOf({ hasRows }: SurfaceActivity, isStale: boolean): Liveness {
  if (!hasRows) return 'empty';
  return isStale ? 'advisory' : 'populated';
}

const ORIGIN: Readonly<Record<Source['tier'], (owner: string) => string>> = {
  authority: (owner) => `Decided by ${owner} and`,
  observed: (owner) => `Observed by ${owner} and`,
  derived: (owner) => `Derived by ${owner} from observations and`,
};
const EVERY: Readonly<Record<Source['cadence'], string>> = {
  realtime: 'as it changes',
  hourly: 'every hour',
  daily: 'every day',
  weekly: 'every week',
  monthly: 'every month',
};

/** The meaning of a row and of a missing row. */
export function coverageNote(source: SurfaceSource): string {
  const { owner, subject, cadence, tier, table } = source;
  const limits = semanticsOf(table)?.honest_limits ?? null;
  return [
    `${ORIGIN[tier](owner)} refreshed ${EVERY[cadence]}.`,
    `No row means that ${owner} has no data about this ${subject.kind}, not that there is none.`,
    ...(limits === null ? [] : [limits]),
  ].join(' ');
}

/** Before the first delivery of a producer, a missing row means nothing. */
const NOTHING_RECEIVED = 'No data of this surface has been received yet.';

/** The current note of a surface; the note of its contract if its activity is unknown. */
export const presentNote = (note: string, activity: SurfaceActivity | undefined): string =>
  activity?.hasDelivered === false ? NOTHING_RECEIVED : note;
