import type { Pool } from 'pg';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { withDatabase } from '../test/services/database.ts';
import { connect } from './connect.ts';

const { pool: other, url } = withDatabase('empty');
const LONGEST_MS = 200;
let pool: Pool;

beforeEach(() => {
  pool = connect(url, 'held', { max: 1, longestHoldMs: LONGEST_MS });
});
afterEach(() => pool.end());

const ownProcess = async (): Promise<number | undefined> =>
  (await pool.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid;

it('ends a connection that is held for too long, and opens another', async () => {
  const first = await ownProcess();
  const holder = await other.connect();
  try {
    await holder.query('begin; select pg_advisory_xact_lock(1)');
    await expect(pool.query('select pg_advisory_lock(1)')).rejects.toThrow('Connection terminated');
  } finally {
    await holder.query('rollback');
    holder.release();
  }
  expect(await ownProcess()).not.toBe(first);
});

it('leaves a connection alone that nobody holds', async () => {
  const first = await ownProcess();
  const idleSince = performance.now();
  await vi.waitUntil(() => performance.now() - idleSince > 2 * LONGEST_MS);
  expect(await ownProcess()).toBe(first);
});
