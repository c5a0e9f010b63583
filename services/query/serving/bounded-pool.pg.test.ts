import type { Pool, PoolClient } from 'pg';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { connect } from '../../../db/connect.ts';
import { withDatabase } from '../../../test/services/database.ts';
import { boundPool } from './bounded-pool.ts';

const { pool: watchPool, url } = withDatabase('empty');
const NAME = 'linernotes bounded';
const LONGEST_MS = 10_000;
let leftMs: number | null;
let pool: Pool;
let holder: PoolClient;

beforeEach(async () => {
  leftMs = null;
  pool = boundPool(connect(url, 'bounded', { max: 1 }), {
    mostWaiting: 2,
    leftMs: () => leftMs,
    longestMs: LONGEST_MS,
    watchPool,
  });
  holder = await watchPool.connect();
  await holder.query('begin');
});
afterEach(async () => {
  await holder.query('rollback');
  holder.release();
  await pool.end();
});

const running = async (): Promise<number> => {
  const { rowCount } = await watchPool.query(
    `select from pg_stat_activity where application_name = $1 and state = 'active'`,
    [NAME],
  );
  return rowCount ?? 0;
};

/** A statement that waits for a lock that nobody gives back. */
const stuck = () => pool.query('select pg_advisory_lock(1)');
const holdAdvisory = () => holder.query('select pg_advisory_xact_lock(1)');

it('asks as it is told where nobody in particular does', async () => {
  const { rows } = await pool.query<{ sum: number }>({ text: 'select $1::int + 1 as sum', values: [1] });
  expect(rows).toEqual([{ sum: 2 }]);
});

it('cancels a statement in the database when the time is up, and serves the next', async () => {
  await holdAdvisory();
  leftMs = 600;
  const begunAt = performance.now();
  const failure = await stuck().catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: '57014' });
  // Ahead of the time that is left, so that the request can still be answered by it.
  expect(performance.now() - begunAt).toBeGreaterThanOrEqual(399);
  await vi.waitUntil(async () => (await running()) === 0);
  leftMs = LONGEST_MS - 1;
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
});

it('begins no statement when the time is up', async () => {
  const connected = vi.spyOn(pool, 'connect');
  for (leftMs of [200, 0, -5])
    await expect(pool.query('select 1')).rejects.toMatchObject({ code: 'deadline_exceeded' });
  expect(connected).not.toHaveBeenCalled();
});

it('goes on after a statement that fails', async () => {
  leftMs = LONGEST_MS - 1;
  await expect(pool.query('select nonsense')).rejects.toMatchObject({ code: '42703' });
  expect((await pool.query('select 2 as two')).rows).toEqual([{ two: 2 }]);
});

it('lets so many wait for a connection, and refuses more at once', async () => {
  await holdAdvisory();
  const first = stuck();
  await vi.waitUntil(async () => (await running()) === 1);
  const waiting = [1, 2].map((number) => pool.query('select $1::int as number', [number]));
  await expect(pool.query('select 3')).rejects.toMatchObject({
    code: 'pool_exhausted',
    context: { retryAfterSeconds: 5 },
  });
  await holder.query('commit');
  await first;
  const answers = await Promise.all(waiting);
  expect(answers.map(({ rows }) => rows)).toEqual([[{ number: 1 }], [{ number: 2 }]]);
  expect((await pool.query('select 4 as four')).rows).toEqual([{ four: 4 }]);
});
