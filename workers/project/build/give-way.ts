import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { textArray } from '../../../db/arrays.ts';
import { ownFingerprints } from '../../../projections/store/fingerprint.ts';

/**
 * How long changes may wait for what is served before a build gives way. Where they have waited for longer than the
 * most, nobody takes them up, and giving way would help nobody.
 */
const LAG_MS = { least: 400, most: 30_000 };
/** A build rests for so many times as long as it worked, at most. */
const MOST_RESTS = 2;

/** Age in milliseconds of the oldest mark of live documents of this code. */
const LAG = `
  select coalesce(extract(epoch from clock_timestamp() - min(marked_at)) * 1000, 0)::float8 as lag
  from projection.mark
  where version in (select id from projection.version where state = 'live' and fingerprint = any($1::text[]))`;

/**
 * Rests after a piece of work while what is served is behind, the longer the further it is: a build has all the time
 * there is, and readers want fresh answers.
 */
export async function giveWay(pool: Pool, workedMs: number, signal: AbortSignal): Promise<void> {
  const { rows } = await pool.query<{ lag: number }>({
    name: 'live-lag',
    text: LAG,
    values: [textArray(ownFingerprints())],
  });
  const ms = restMs(rows[0]?.lag ?? 0, workedMs);
  if (ms > 0) await pause(ms, undefined, { signal });
}

/** How long to rest, in milliseconds, when changes wait for so long. */
export const restMs = (lagMs: number, workedMs: number): number =>
  lagMs < LAG_MS.least || lagMs > LAG_MS.most ? 0 : workedMs * Math.min(lagMs / 1_000, MOST_RESTS);
