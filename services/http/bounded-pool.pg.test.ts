import type { Pool, PoolClient } from 'pg';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { connect } from '../../db/connect.ts';
import { withDatabase } from '../../test/support/services/database.ts';
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

/** Without timers, which a test may control. */
async function untilRunning(statements: number): Promise<void> {
  for (let polls = 0; polls < 5_000; polls++) if ((await running()) === statements) return;
  throw new Error(`${await running()} statements are running, not ${statements}`);
}

/** A statement that waits for a lock that the test holds. */
const stuck = () => pool.query('select pg_advisory_lock(1)');
const holdAdvisory = () => holder.query('select pg_advisory_xact_lock(1)');

it('runs statements that belong to no request', async () => {
  const { rows } = await pool.query<{ sum: number }>({ text: 'select $1::int + 1 as sum', values: [1] });
  expect(rows).toEqual([{ sum: 2 }]);
});

it('cancels a statement before the deadline, and runs the next', async () => {
  await holdAdvisory();
  await pool.query('select 1');
  const watched = vi.spyOn(watchPool, 'query');
  const cancelled = () => watched.mock.calls.filter(([text]) => String(text).includes('pg_cancel_backend'));
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  try {
    leftMs = 600;
    const failure = stuck().catch((error: unknown) => error);
    await untilRunning(1);
    // 200 ms before the deadline, so that the request can still respond with the error.
    vi.advanceTimersByTime(399);
    expect(cancelled()).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(cancelled()).toHaveLength(1);
    expect(await failure).toMatchObject({ code: 'deadline_exceeded', cause: { code: '57014' } });
  } finally {
    vi.useRealTimers();
    watched.mockRestore();
  }
  await untilRunning(0);
  leftMs = LONGEST_MS - 1;
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
});

it('begins no statement after the deadline', async () => {
  const connected = vi.spyOn(pool, 'connect');
  for (leftMs of [200, 0, -5])
    await expect(pool.query('select 1')).rejects.toMatchObject({ code: 'deadline_exceeded' });
  expect(connected).not.toHaveBeenCalled();
});

it('continues after a statement that fails', async () => {
  leftMs = LONGEST_MS - 1;
  await expect(pool.query('select nonsense')).rejects.toMatchObject({ code: '42703' });
  expect((await pool.query('select 2 as two')).rows).toEqual([{ two: 2 }]);
});

it('bounds the statements that wait for a connection, and rejects more', async () => {
  await holdAdvisory();
  const first = stuck();
  await untilRunning(1);
  const waiting = [1, 2].map((number) => pool.query('select $1::int as number', [number]));
  await expect(pool.query('select 3')).rejects.toMatchObject({
    code: 'pool_exhausted',
    context: { retryAfterSeconds: 5 },
  });
  await holder.query('commit');
  await first;
  const responses = await Promise.all(waiting);
  expect(responses.map(({ rows }) => rows)).toEqual([[{ number: 1 }], [{ number: 2 }]]);
  expect((await pool.query('select 4 as four')).rows).toEqual([{ four: 4 }]);
});
