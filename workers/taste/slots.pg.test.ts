import { afterEach, expect, it } from 'vitest';
import { connect } from '../../db/connect.ts';
import { withDatabase } from '../../test/support/services/database.ts';
import { pauseRequests, reserveSlot } from './slots.ts';

const { pool, url } = withDatabase();
afterEach(() => pool.query('truncate taste.upstream'));

const upstream = { service: 'catalog', intervalMs: 2_000 } as const;

it('processes that reserve concurrently share the rate of a service', async () => {
  const other = connect(url, 'other worker', { max: 4 });
  try {
    const { rows } = await pool.query<{ now: string }>('select clock_timestamp()::text as now');
    const slots = await Promise.all(
      Array.from({ length: 6 }, (_, at) => reserveSlot(at % 2 === 0 ? pool : other, upstream)),
    );
    expect(slots.every((slot) => slot !== null)).toBe(true);
    const spaced = `select free_at >= $1::timestamptz + 6 * interval '2 s' as all from taste.upstream`;
    expect((await pool.query(spaced, [rows[0]?.now])).rows).toEqual([{ all: true }]);
    // A pause that one process is asked for holds for the other.
    await pauseRequests(other, upstream, 3_600_000);
    expect(await reserveSlot(pool, upstream)).toBeNull();
    expect(await reserveSlot(pool, { ...upstream, service: 'scrobbler' })).toEqual({
      waitMs: 0,
      failures: 0,
    });
  } finally {
    await other.end();
  }
});
