import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { registerSources } from '../../projections/engine/registry.ts';
import { runOps } from '../../test/support/run-ops.ts';
import { withDatabase } from '../../test/support/services/database.ts';

const { pool, url } = withDatabase();

beforeEach(() => {
  vi.stubEnv('DATABASE_URL', url);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

it('forgets a connector that is gone, with an entry in the audit trail', async () => {
  await registerSources(pool);
  await pool.query(
    `insert into ingest.connector (name, newest_heartbeat_at, interval_ms) values ('old', now() - interval '1 day', 10000);
     update ingest.source set connector = 'old', newest_change_at = now() - interval '1 hour' where name = 'seen.festival'`,
  );
  expect((await runOps('status')).code).toBe(1);
  expect(await runOps('connectors', 'forget', 'old', '--why', 'festivals come as files now')).toMatchObject({
    code: 0,
    printed: ['forgot old, which fed seen.festival'],
  });
  expect((await runOps('status')).code).toBe(0);
  const { rows } = await pool.query('select action, target, reason, detail from operation.audit');
  expect(rows).toEqual([
    {
      action: 'connectors forget',
      target: 'old',
      reason: 'festivals come as files now',
      detail: { sources: ['seen.festival'] },
    },
  ]);
  expect(await runOps('connectors', 'forget', 'old', '--why', 'again')).toMatchObject({
    code: 1,
    complaints: ['no connector is called "old"; see: status'],
  });
});
