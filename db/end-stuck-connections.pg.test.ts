import type { Pool } from 'pg';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { withDatabase } from '../test/support/services/database.ts';
import { lockWaiters } from '../test/support/services/lock-waiters.ts';
import { connect } from './connect.ts';

const { pool: other, url } = withDatabase('empty');
const LONGEST_MS = 3_600_000;
let pool: Pool;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  pool = connect(url, 'held', { max: 1, longestHoldMs: LONGEST_MS });
});
afterEach(async () => {
  vi.useRealTimers();
  await pool.end();
});

const ownProcess = async (): Promise<number | undefined> =>
  (await pool.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid;

it('ends a connection that is in use for too long, and opens another', async () => {
  const first = await ownProcess();
  const holder = await other.connect();
  try {
    await holder.query('begin; select pg_advisory_xact_lock(1)');
    const ended = expect(pool.query('select pg_advisory_lock(1)')).rejects.toThrow('Connection terminated');
    await expect.poll(() => lockWaiters(other)).toBe(1);
    vi.advanceTimersByTime(1.1 * LONGEST_MS);
    await ended;
  } finally {
    await holder.query('rollback');
    holder.release();
  }
  expect(await ownProcess()).not.toBe(first);
});

it('keeps an idle connection', async () => {
  const first = await ownProcess();
  vi.advanceTimersByTime(2 * LONGEST_MS);
  expect(await ownProcess()).toBe(first);
});
