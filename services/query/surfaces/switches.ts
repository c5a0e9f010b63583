import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { memoizeFor } from '../../../infra/runtime/memoize-for.ts';

/** The surfaces that an operator has disabled. */
export interface SurfaceSwitches {
  /** Whether all surfaces are disabled, whatever their own switches. */
  readonly areAllOff: boolean;
  isOff(surface: string): boolean;
}

/** Name of the switch over all surfaces. */
export const ALL_SURFACES = '*';

/** How long a switch takes to have an effect. */
const POLL_EVERY_MS = 1_000;

export interface SwitchReaderOptions {
  readonly log: Logger;
  /** Milliseconds. */
  readonly now: () => number;
}

/**
 * Makes a function that gives the switches, at most a second old; concurrent callers share one read. While the switches
 * cannot be read, the last known ones apply.
 *
 * @returns rejects if no read has ever succeeded, because a disabled surface must not be served
 */
export function switchReader(pool: Pool, { log, now }: SwitchReaderOptions): () => Promise<SurfaceSwitches> {
  const read = memoizeFor(POLL_EVERY_MS, () => readSwitches(pool), now);
  let last: SurfaceSwitches | null = null;
  return async () => {
    try {
      last = await read();
    } catch (error) {
      if (last === null) throw error;
      log.warn({ err: error }, 'cannot read the surface switches; using the last known ones');
    }
    return last;
  };
}

async function readSwitches(pool: Pool): Promise<SurfaceSwitches> {
  const { rows } = await pool.query<{ name: string }>({
    name: 'surfaces-off',
    text: 'select name from operation.surface_off',
  });
  const off = new Set(rows.map(({ name }) => name));
  return { areAllOff: off.has(ALL_SURFACES), isOff: (surface) => off.has(surface) };
}
