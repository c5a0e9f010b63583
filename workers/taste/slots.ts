import type { Pool } from 'pg';
import type { TransientFailure, Upstream } from './upstream.ts';

/** A later run takes slots further in the future. */
const MAX_WAIT_MS = 15_000;

const RESERVE = `
  insert into taste.upstream as known (service, free_at)
  values ($1, clock_timestamp() + $2 * interval '1 ms')
  on conflict (service) do update
    set free_at = greatest(known.free_at, clock_timestamp()) + $2 * interval '1 ms'
    where known.free_at <= clock_timestamp() + $3 * interval '1 ms'
  returning greatest(0, extract(epoch from free_at - clock_timestamp())::float8 * 1000 - $2) as "waitMs", failures`;

/** When a request may be sent. */
interface Slot {
  /** Milliseconds until then. */
  readonly waitMs: number;
  /** Consecutive failures of the service. */
  readonly failures: number;
}

/**
 * Reserves the next time slot for a request to a service. All processes share the slots.
 *
 * @returns null if the service demanded a longer pause
 */
export async function reserveSlot(
  pool: Pool,
  { service, intervalMs }: Pick<Upstream, 'service' | 'intervalMs'>,
): Promise<Slot | null> {
  const { rows } = await pool.query<Slot>({
    name: 'take-upstream-slot',
    text: RESERVE,
    values: [service, intervalMs, MAX_WAIT_MS],
  });
  return rows[0] ?? null;
}

/** Pauses all requests to a service for `ms` milliseconds. */
export async function pauseRequests(
  pool: Pool,
  { service }: Pick<Upstream, 'service'>,
  ms: number,
): Promise<void> {
  await pool.query({
    name: 'hold-off-upstream',
    text: `update taste.upstream set free_at = greatest(free_at, clock_timestamp() + $2 * interval '1 ms')
           where service = $1`,
    values: [service, ms],
  });
}

const COUNT = `
  update taste.upstream set failures = failures + ($2::uuid is null or failing_import is distinct from $2::uuid)::int,
    failing_import = $2, failure = $3, failing_since = coalesce(failing_since, now())
  where service = $1 returning failures`;

/**
 * Records a failed import, or with `id` null a failed probe. Repeated failures of the same import count once.
 *
 * @returns the number of consecutive failures of the service
 */
export async function countFailure(
  pool: Pool,
  { service }: Pick<Upstream, 'service'>,
  { id, failure }: { readonly id: string | null; readonly failure: TransientFailure },
): Promise<number> {
  const { rows } = await pool.query<{ failures: number }>({
    name: 'count-upstream-failure',
    text: COUNT,
    values: [service, id, failure],
  });
  return rows[0]?.failures ?? 0;
}

/** Records a successful response of a service. */
export async function resetFailures(pool: Pool, { service }: Pick<Upstream, 'service'>): Promise<void> {
  await pool.query({
    name: 'forget-upstream-failures',
    text: `update taste.upstream set failures = 0, failing_import = null, failure = null, failing_since = null
           where service = $1 and failures > 0`,
    values: [service],
  });
}
