import { FAILURES_OF_SERVICE } from '../../projections/taste/import-backlog.ts';
import type { ImportFailure } from '../../projections/taste/import-failure.ts';
import { backoffMs } from '../backoff.ts';
import { failImport, type ImportTurn, postpone } from './import-rows.ts';
import type { Breaks, Lane, Patience } from './lane.ts';
import { countFailure, holdOff } from './slots.ts';
import type { PassingFailure } from './upstream.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Two days each: outages end, keys are renewed, and some services work statistics out once a day. */
const PATIENCE: Patience = {
  unavailable: { first: 2_000, most: HOUR_MS, attempts: 60 },
  bad_answer: { first: 10_000, most: HOUR_MS, attempts: 58 },
  not_computed: { first: 5 * 60_000, most: HOUR_MS, attempts: 52 },
  refused: { first: 5 * 60_000, most: HOUR_MS, attempts: 52 },
};

const BREAKS: Breaks = { after: FAILURES_OF_SERVICE, first: 60_000, most: 15 * 60_000 };

/** For how long an import is not charged with what its service does to all; then it may itself be what fails. */
const UNCHARGED_MS = 7 * DAY_MS;

/**
 * Has an import wait for its next try, or fail after too many. Where imports fail one after another, it is the service that
 * fails: it is left alone for a while, and that costs no import a try.
 */
export async function putOff(lane: Lane, turn: ImportTurn, failure: PassingFailure): Promise<void> {
  const { pool, counts, log, upstream, patience = PATIENCE } = lane;
  // Who has not worked out statistics has answered.
  const breakMs = failure === 'not_computed' ? null : await breakOff(lane, turn, failure);
  const isCharged = breakMs === null || turn.triedMs >= UNCHARGED_MS;
  const attempt = turn.attempt + (isCharged ? 1 : 0);
  if (attempt >= patience[failure].attempts) return giveUp(lane, turn, failure);
  const ms = breakMs ?? backoffMs(attempt, patience[failure]);
  await postpone(pool, turn, { failure, attempt, ms });
  counts.postponed++;
  const level = failure === 'refused' ? 'warn' : 'info';
  log[level](
    { service: upstream.service, import: turn.id, failure, attempt, ms: Math.round(ms) },
    'import put off',
  );
}

/** Leaves the service alone where imports fail one after another. For how many milliseconds; null where it does not. */
async function breakOff(
  { pool, log, upstream, breaks = BREAKS }: Lane,
  { id }: ImportTurn,
  failure: PassingFailure,
): Promise<number | null> {
  const failures = await countFailure(pool, upstream, { id, failure });
  if (failures < breaks.after) return null;
  const ms = backoffMs(failures - breaks.after + 1, breaks);
  await holdOff(pool, upstream, ms);
  log.warn(
    { service: upstream.service, failure, failures, ms: Math.round(ms) },
    'one import after another fails; the service is left alone for a while',
  );
  return ms;
}

/** Fails an import for good. */
export async function giveUp(
  { pool, counts, log, upstream }: Lane,
  turn: ImportTurn,
  failure: ImportFailure,
): Promise<void> {
  await failImport(pool, turn, failure);
  counts.failed++;
  log.warn({ service: upstream.service, import: turn.id, failure }, 'import failed');
}
