import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { textArray } from '../../../db/arrays.ts';
import { shareFor } from '../../../projections/observe/share-for.ts';
import { ownFingerprints } from '../../../projections/store/fingerprint.ts';
import { BUCKETS } from '../../../projections/store/mark.ts';

/** Changes that wait longer than this for what is served make a build give way. */
const LEAST_LAG_MS = 300;
/** A build rests for so many times as long as it worked, at most: however busy the system, the build comes to its end. */
const MOST_RESTS = 6;
/** Where the oldest change is the same for so long, nobody takes changes up, and giving way would help nobody. */
const STUCK_MS = 10_000;
const LOOK_AGAIN_MS = 100;

/** The oldest change that waits for what is served. */
export interface Waiting {
  /** When it was applied, in milliseconds since 1970. */
  readonly since: number;
  /** For how many milliseconds it has waited. */
  readonly lagMs: number;
}

/** When the oldest mark of live documents of this code was made. One is looked up in each bucket, by the index. */
const OLDEST = `
  select extract(epoch from min(oldest.marked_at))::float8 * 1000 as since,
    extract(epoch from clock_timestamp() - min(oldest.marked_at))::float8 * 1000 as "lagMs"
  from (
    select id from projection.version
    where state = 'live' and fingerprint = any($1::text[])
      and exists (select from projection.mark where mark.version = version.id)
    offset 0
  ) version
    cross join generate_series(0, ${BUCKETS - 1}) each_bucket (number)
    cross join lateral (
      select marked_at from projection.mark
      where mark.version = version.id and mark.bucket = number order by id limit 1
    ) oldest
  having count(*) > 0`;

/** Rests after a piece of work that took `workedMs`, while changes wait for what is served. Answers whether any did. */
export type GiveWay = (workedMs: number) => Promise<boolean>;

/**
 * Makes the builders of one process give way to the projectors that keep up what is served: a build has all the time
 * there is, and readers want fresh answers.
 */
export function giveWayTo(pool: Pool, signal: AbortSignal | undefined): GiveWay {
  const look = shareFor(LOOK_AGAIN_MS / 2, async () => {
    const { rows } = await pool.query<Waiting>({
      name: 'oldest-live-mark',
      text: OLDEST,
      values: [textArray(ownFingerprints())],
    });
    return rows[0] ?? null;
  });
  const isWorthResting = restingRule(() => performance.now());
  return async (workedMs) => {
    const until = performance.now() + workedMs * MOST_RESTS;
    let didWait = false;
    while (isWorthResting(await look())) {
      didWait = true;
      const leftMs = until - performance.now();
      if (leftMs <= 0) break;
      await pause(Math.min(LOOK_AGAIN_MS, leftMs), undefined, { signal });
    }
    return didWait;
  };
}

/** Tells from look to look whether somebody takes up what waits, and it waits too long. @param now in milliseconds */
export function restingRule(now: () => number): (waiting: Waiting | null) => boolean {
  let oldest: number | null = null;
  let sameSince = now();
  return (waiting) => {
    if (waiting?.since !== oldest) sameSince = now();
    oldest = waiting?.since ?? null;
    return waiting !== null && waiting.lagMs >= LEAST_LAG_MS && now() - sameSince < STUCK_MS;
  };
}
