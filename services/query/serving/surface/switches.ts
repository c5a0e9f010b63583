import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { shareFor } from '../../../../projections/observe/share-for.ts';

/** Which surfaces an operator has switched off. */
export interface Switches {
  /** Whether none is served, whatever its own switch says. */
  readonly areAllOff: boolean;
  isOff(surface: string): boolean;
}

/** Name of the switch over all surfaces. */
export const ALL_SURFACES = '*';

/** How long a switch may take to be noticed. */
const LOOK_EVERY_MS = 1_000;

export interface SwitchReaderOptions {
  readonly log: Logger;
  /** Milliseconds. */
  readonly now: () => number;
}

/**
 * Tells the switches as they were at most a second ago, by one look for all who ask. While they cannot be looked at, the
 * last that were seen stand.
 *
 * @returns rejects with what made the look fail where none has ever succeeded: what was switched off must not be served
 */
export function switchReader(pool: Pool, { log, now }: SwitchReaderOptions): () => Promise<Switches> {
  const look = shareFor(LOOK_EVERY_MS, () => readSwitches(pool), now);
  let seen: Switches | null = null;
  return async () => {
    try {
      seen = await look();
    } catch (error) {
      if (seen === null) throw error;
      log.warn({ err: error }, 'the switches of surfaces cannot be looked at; the last that were seen stand');
    }
    return seen;
  };
}

async function readSwitches(pool: Pool): Promise<Switches> {
  const { rows } = await pool.query<{ name: string }>({
    name: 'surfaces-off',
    text: 'select name from operation.surface_off',
  });
  const off = new Set(rows.map(({ name }) => name));
  return { areAllOff: off.has(ALL_SURFACES), isOff: (surface) => off.has(surface) };
}
