import { addMonths } from './calendar.ts';
import type { Arrival } from './convergence.ts';

/** A break counts within this time after reaching a depth; only depths reached at least this long ago count. */
const HORIZON_MONTHS = 12;
/** A share of fewer artists is meaningless. */
const LEAST_ARTISTS = 30;

export interface BreakHistory {
  /** @param breakAt day of the artist's break event; null for none */
  add(arrivals: readonly Pick<Arrival, 'first_arrived_at'>[], breakAt: string | null): void;
  /** Percent, to one decimal, of the artists at the depth who broke within the horizon; null for too few artists. */
  oddsAt(depth: number): number | null;
}

/**
 * The base rate of breaks by depth, over all added artists. An artist reaches depth k when its k-th dimension arrives.
 * Artists whose horizon has not ended do not count; a break before the depth is not a break after it.
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
