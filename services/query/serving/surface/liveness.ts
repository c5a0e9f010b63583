import { STALE_AFTER_SECONDS } from '../../../../projections/sources/contract.ts';
import type { SurfaceSource } from '../../../../projections/sources/surfaces.ts';

/** `populated`; `advisory` where the producer has been silent for too long; `empty` where there is no row of anybody. */
export const LIVENESS = ['populated', 'advisory', 'empty'] as const;
export type Liveness = (typeof LIVENESS)[number];

/** What was seen of a surface. */
export interface Seen {
  readonly hasRows: boolean;
  /** Whether its producer has ever delivered a row, be it gone again. */
  readonly hasDelivered: boolean;
  /** When its producer was last heard of, in milliseconds since 1970; null where it never was. */
  readonly heardMs: number | null;
}

/** What is said of a surface that could not be looked at: its rows, if any, are not to be relied on. */
export const UNSEEN: Liveness = 'advisory';

export function livenessOf({ cadence }: SurfaceSource, { hasRows, heardMs }: Seen, nowMs: number): Liveness {
  if (!hasRows) return 'empty';
  const isStale = heardMs === null || nowMs - heardMs > STALE_AFTER_SECONDS[cadence] * 1000;
  return isStale ? 'advisory' : 'populated';
}
