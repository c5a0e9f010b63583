import type { Pool } from 'pg';
import type { PassingFailure, Upstream } from './upstream.ts';

/** A slot that is further off is left to a later run. */
const PATIENCE_MS = 15_000;

const TAKE = `
  insert into taste.upstream as known (service, free_at)
  values ($1, clock_timestamp() + $2 * interval '1 ms')
  on conflict (service) do update
    set free_at = greatest(known.free_at, clock_timestamp()) + $2 * interval '1 ms'
    where known.free_at <= clock_timestamp() + $3 * interval '1 ms'
  returning extract(epoch from free_at - clock_timestamp())::float8 * 1000 - $2 as "waitMs"`;

/**
 * Takes the next moment at which a service may be sent a request; everybody who asks it shares them, here and in other
 * processes.
 *
 * @returns how many milliseconds off it is; null where none is near, because the service asked to be left alone
 */
export async function takeSlot(
  pool: Pool,
  { service, intervalMs }: Pick<Upstream, 'service' | 'intervalMs'>,
): Promise<number | null> {
  const { rows } = await pool.query<{ waitMs: number }>({
    name: 'take-upstream-slot',
    text: TAKE,
    values: [service, intervalMs, PATIENCE_MS],
  });
  return rows[0] === undefined ? null : Math.max(0, rows[0].waitMs);
}

/** Has nobody send a service a request for so long. */
export async function holdOff(pool: Pool, { service }: Pick<Upstream, 'service'>, ms: number): Promise<void> {
  await pool.query({
    name: 'hold-off-upstream',
    text: `update taste.upstream set free_at = greatest(free_at, clock_timestamp() + $2 * interval '1 ms')
           where service = $1`,
    values: [service, ms],
  });
}

const COUNT = `
  update taste.upstream set failures = failures + (failing_import is distinct from $2::uuid)::int,
    failing_import = $2, failure = $3, failing_since = coalesce(failing_since, now())
  where service = $1 returning failures`;

/**
 * Notes that an import failed. How many have in a row, none answered between; one that fails again, with no other between,
 * counts once.
 */
export async function countFailure(
  pool: Pool,
  { service }: Pick<Upstream, 'service'>,
  { id, failure }: { readonly id: string; readonly failure: PassingFailure },
): Promise<number> {
  const { rows } = await pool.query<{ failures: number }>({
    name: 'count-upstream-failure',
    text: COUNT,
    values: [service, id, failure],
  });
  return rows[0]?.failures ?? 0;
}

/** Notes that a service answers. */
export async function forgetFailures(pool: Pool, { service }: Pick<Upstream, 'service'>): Promise<void> {
  await pool.query({
    name: 'forget-upstream-failures',
    text: `update taste.upstream set failures = 0, failing_import = null, failure = null, failing_since = null
           where service = $1 and failures > 0`,
    values: [service],
  });
}
