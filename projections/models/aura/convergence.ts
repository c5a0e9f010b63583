import type { Row } from '../../contracts/contract.ts';
import type { clusterArrivalLedgerV1 } from '../../contracts/fleet/cluster-arrival-ledger-v1.ts';
import { ascending, sorted } from '../../engine/order.ts';
import { addMonths } from './calendar.ts';

/** How long a dimension stays lit without another sighting. */
export const WINDOW_MONTHS = 18;
/** Fewer dimensions are not a convergence. */
const LEAST_DIMENSIONS = 2;

export type Arrival = Pick<
  Row<typeof clusterArrivalLedgerV1>,
  'dimension' | 'first_arrived_at' | 'latest_at'
>;

export interface Convergence {
  /** In the order of their arrival. */
  readonly dimensions: readonly string[];
  readonly firstSignalAt: string;
  /** When the newest dimension arrived. */
  readonly latestAppearanceAt: string;
}

/**
 * The lit dimensions of an artist on a day: their latest sighting is in the window that ends with the day, both ends
 * included. Later sightings are not known on that day. Null if too few are lit.
 */
export function convergenceOn(day: string, arrivals: readonly Arrival[]): Convergence | null {
  const from = addMonths(day, -WINDOW_MONTHS);
  const lit = sorted(
    arrivals.filter(({ latest_at }) => latest_at >= from && latest_at <= day),
    ascending(({ first_arrived_at }) => first_arrived_at),
    ascending(({ dimension }) => dimension),
  );
  const first = lit[0];
  const last = lit.at(-1);
  if (first === undefined || last === undefined || lit.length < LEAST_DIMENSIONS) return null;
  return {
    dimensions: lit.map(({ dimension }) => dimension),
    firstSignalAt: first.first_arrived_at,
    latestAppearanceAt: last.first_arrived_at,
  };
}
