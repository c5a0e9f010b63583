import type { Pool } from 'pg';
import type { Upstream } from './upstream.ts';

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
