import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { textArray } from '../../../db/arrays.ts';
import { memoizeFor } from '../../../infra/runtime/memoize-for.ts';
import { IS_OWN, ownCodeVersions } from '../../../projections/engine/store/code-version.ts';
import { BUCKETS } from '../../../projections/engine/store/mark.ts';
import { projections } from '../../../projections/index.ts';

/** A build gives way while a change of a served version has waited longer than this. */
const MIN_LAG_MS = 300;
/** Longest rest as a multiple of the work before it, so that a build ends even on a busy system. */
const MAX_REST_FACTOR = 6;
/** If the oldest change stays the same for this long, no projector runs, and giving way is pointless. */
const STUCK_MS = 10_000;
const POLL_MS = 100;

/** The oldest change that the served versions lack. */
export interface OldestChange {
  /** When it was applied, in milliseconds since 1970. */
  readonly since: number;
  /** Its age in milliseconds. */
  readonly lagMs: number;
}

/** Reads the oldest dirty mark of each bucket of live versions of this code, by the index. */
const OLDEST = `
  select extract(epoch from min(oldest.marked_at))::float8 * 1000 as since,
    extract(epoch from clock_timestamp() - min(oldest.marked_at))::float8 * 1000 as "lagMs"
  from (
    select id from projection.version
    where state = 'live' and ${IS_OWN}
      and exists (select from projection.mark where mark.version = version.id)
    offset 0
  ) version
    cross join generate_series(0, ${BUCKETS - 1}) each_bucket (number)
    cross join lateral (
      select marked_at from projection.mark
      where mark.version = version.id and mark.bucket = number order by id limit 1
    ) oldest
  having count(*) > 0`;

/** Rests after work that took `workedMs`, while served versions lag. */
export type GiveWay = (workedMs: number) => Promise<void>;

/** Makes the builders of one process give way to the projectors of served versions. */
export function giveWayTo(pool: Pool, signal: AbortSignal | undefined): GiveWay {
  const readOldest = memoizeFor(POLL_MS / 2, async () => {
    const { rows } = await pool.query<OldestChange>({
      name: 'oldest-live-mark',
      text: OLDEST,
      values: [textArray(ownCodeVersions(projections))],
    });
    return rows[0] ?? null;
  });
  const shouldRest = restRule(() => performance.now());
  return async (workedMs) => {
    const until = performance.now() + workedMs * MAX_REST_FACTOR;
    while (shouldRest(await readOldest())) {
      const leftMs = until - performance.now();
      if (leftMs <= 0) break;
      await pause(Math.min(POLL_MS, leftMs), undefined, { signal });
    }
  };
}

/** Decides at each poll whether served versions lag and projectors work on them. @param now in milliseconds */
export function restRule(now: () => number): (oldestChange: OldestChange | null) => boolean {
  let oldest: number | null = null;
  let sameSince = now();
  return (change) => {
    if (change?.since !== oldest) sameSince = now();
    oldest = change?.since ?? null;
    return change !== null && change.lagMs >= MIN_LAG_MS && now() - sameSince < STUCK_MS;
  };
}
