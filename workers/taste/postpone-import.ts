import { backoffMs } from '../../infra/runtime/retry.ts';
import { FAILURES_OF_SERVICE } from '../../projections/models/taste/import-backlog.ts';
import type { ImportFailure } from '../../projections/models/taste/imports.ts';
import type { BreakerLimits, ImportContext, RetryLimits } from './import-context.ts';
import { type DueImport, failImport, requeueImport } from './import-rows.ts';
import { countFailure, pauseRequests } from './slots.ts';
import type { TransientFailure } from './upstream.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Two days each: outages end, operators renew keys, and some services compute statistics once a day. */
const RETRY_LIMITS: RetryLimits = {
  unavailable: { firstMs: 2_000, maxMs: HOUR_MS, attempts: 60 },
  bad_answer: { firstMs: 10_000, maxMs: HOUR_MS, attempts: 58 },
  not_computed: { firstMs: 5 * 60_000, maxMs: HOUR_MS, attempts: 52 },
  refused: { firstMs: 5 * 60_000, maxMs: HOUR_MS, attempts: 52 },
};

const BREAKER: BreakerLimits = { after: FAILURES_OF_SERVICE, firstMs: 60_000, maxMs: 15 * 60_000 };

/** Until this age, outages of the service cost an import no attempt. After that, the import itself may be the cause. */
const MAX_UNCOUNTED_MS = 7 * DAY_MS;

/**
 * Queues an import for a retry, or fails it after too many attempts. Consecutive failures of several imports open the
 * circuit of the service, which costs no import an attempt. A strange response may be the account's own, so it never counts
 * against the service.
 */
export async function postponeImport(
  context: ImportContext,
  due: DueImport,
  failure: TransientFailure,
): Promise<void> {
  const { pool, counts, log, upstream, retryLimits = RETRY_LIMITS } = context;
  const isOfService = failure === 'unavailable' || failure === 'refused';
  const pauseMs = isOfService ? await openCircuit(context, { id: due.id, failure }) : null;
  const countsAttempt = pauseMs === null || due.triedMs >= MAX_UNCOUNTED_MS;
  const attempt = due.attempt + (countsAttempt ? 1 : 0);
  if (attempt >= retryLimits[failure].attempts) return failForGood(context, due, failure);
  const ms = pauseMs ?? backoffMs(attempt, retryLimits[failure]);
  await requeueImport(pool, due, { failure, attempt, ms });
  counts.postponed++;
  const level = failure === 'refused' ? 'warn' : 'info';
  log[level](
    { service: upstream.service, import: due.id, failure, attempt, ms: Math.round(ms) },
    'import postponed',
  );
}

/** Whether so many consecutive failures open the circuit of a service. */
export const isOpen = ({ breaker = BREAKER }: ImportContext, failures: number): boolean =>
  failures >= breaker.after;

/**
 * Counts the failure of an import, or with `id` null of a probe. Pauses requests after consecutive failures.
 *
 * @returns the pause in milliseconds; null if the circuit stays closed
 */
export async function openCircuit(
  context: ImportContext,
  { id, failure }: { readonly id: string | null; readonly failure: TransientFailure },
): Promise<number | null> {
  const { pool, log, upstream, breaker = BREAKER } = context;
  const failures = await countFailure(pool, upstream, { id, failure });
  if (!isOpen(context, failures)) return null;
  const ms = backoffMs(failures - breaker.after + 1, breaker);
  await pauseRequests(pool, upstream, ms);
  log.warn(
    { service: upstream.service, failure, failures, ms: Math.round(ms) },
    'consecutive imports failed; requests to the service are paused',
  );
  return ms;
}

/** Fails an import without a retry. */
export async function failForGood(
  { pool, counts, log, upstream }: ImportContext,
  due: DueImport,
  failure: ImportFailure,
): Promise<void> {
  await failImport(pool, due, failure);
  counts.failed++;
  log.warn({ service: upstream.service, import: due.id, failure }, 'import failed');
}
