import { addMonths } from './calendar.ts';
import type { Arrival } from './convergence.ts';

/** How long after reaching a depth a break counts, and how long ago the depth must be reached to count at all. */
const HORIZON_MONTHS = 12;
/** A share of fewer artists says nothing. */
const LEAST_ARTISTS = 30;

export interface BreakHistory {
  /** @param breakAt day of the artist's break event; null for none */
  add(arrivals: readonly Pick<Arrival, 'first_arrived_at'>[], breakAt: string | null): void;
  /** Percent, to one decimal, of the artists who reached the depth and broke within the horizon; null for too few. */
  oddsAt(depth: number): number | null;
}

/**
 * The base rate of breaks by depth, over all artists that are added. An artist reaches depth k when the k-th of its
 * dimensions arrives. One whose time is not over yet says nothing, one who broke before did not break after.
 */
export function breakHistory(day: string): BreakHistory {
  const reachedBy = addMonths(day, -HORIZON_MONTHS);
  const depths: { reached: number; broke: number }[] = [];
  return {
    add(arrivals, breakAt) {
      const days = arrivals.map(({ first_arrived_at }) => first_arrived_at).sort();
      for (const [index, at] of days.entries()) {
        if (at > reachedBy) return;
        depths[index] ??= { reached: 0, broke: 0 };
        depths[index].reached += 1;
        if (breakAt !== null && breakAt >= at && breakAt <= addMonths(at, HORIZON_MONTHS))
          depths[index].broke += 1;
      }
    },
    oddsAt(depth) {
      const { reached, broke } = depths[depth - 1] ?? { reached: 0, broke: 0 };
      return reached < LEAST_ARTISTS ? null : Math.round((1_000 * broke) / reached) / 10;
    },
  };
}
