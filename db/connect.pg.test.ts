import { once } from 'node:events';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { withDatabase } from '../test/support/services/database.ts';
import { connect } from './connect.ts';

const { pool: other, url } = withDatabase('empty');

it('reports a broken connection without credentials', async () => {
  const pool = connect(url, 'broken', { max: 1 });
  try {
    const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
    const broken = once(pool, 'error');
    await other.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
    const [error] = await broken;
    const lines: string[] = [];
    pino({}, { write: (line: string) => lines.push(line) }).warn({ err: error }, 'broken');
    expect(lines).toEqual([expect.stringContaining('terminating connection')]);
    expect(lines[0]).not.toMatch(/secretKey|password/);
  } finally {
    await pool.end();
  }
});
