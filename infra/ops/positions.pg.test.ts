import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { runOps } from '../../test/support/run-ops.ts';
import { withDatabase } from '../../test/support/services/database.ts';

const { pool, url } = withDatabase();

beforeEach(async () => {
  vi.stubEnv('DATABASE_URL', url);
  vi.stubEnv('LINERNOTES_OPERATOR', 'ada');
  await pool.query(`
    truncate ingest.position, operation.audit;
    insert into ingest.position values
      ('linernotes-ingest', 'producers.seen.festival', 0, 41, '2026-01-02T03:04:05Z'),
      ('linernotes-ingest', 'producers.seen.festival', 1, 7, '2026-01-02T03:04:06Z'),
      ('trial', 'producers.seen.festival', 0, 3, '2026-01-02T03:04:07Z'),
      ('snapshot', 'seen.festival.ndjson#9@1', 0, 2, '2026-01-02T03:04:08Z')`);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

it('lists positions, of all groups or one', async () => {
  const header = 'group\ttopic\tpartition\tnextOffset\tmovedAt';
  const rows = [
    'linernotes-ingest\tproducers.seen.festival\t0\t41\t2026-01-02T03:04:05.000Z',
    'linernotes-ingest\tproducers.seen.festival\t1\t7\t2026-01-02T03:04:06.000Z',
    'trial\tproducers.seen.festival\t0\t3\t2026-01-02T03:04:07.000Z',
  ];
  expect((await runOps('positions', 'list')).printed).toEqual([header, ...rows]);
  expect((await runOps('positions', 'list', '--group', 'trial')).printed).toEqual([header, rows[2]]);
  expect((await runOps('positions', 'list', '--topic', 'other')).printed).toEqual([header]);
});

it('lists loaded files only if their group is named', async () => {
  const { printed } = await runOps('positions', 'list', '--group', 'snapshot');
  expect(printed.slice(1)).toEqual(['snapshot\tseen.festival.ndjson#9@1\t0\t2\t2026-01-02T03:04:08.000Z']);
});

const SET = ['positions', 'set', '--topic', 'producers.seen.festival', '--partition', '1', '--to', '12'];

it('moves one position, and audits operator and reason', async () => {
  const { code, printed } = await runOps(...SET, '--why', 'the topic was emptied');
  expect([code, printed]).toEqual([
    0,
    ['producers.seen.festival/1 of linernotes-ingest continues at 12 instead of 7'],
  ]);
  const { rows } = await pool.query(
    `select consumer_group, partition, next_offset from ingest.position
     where consumer_group <> 'snapshot' order by consumer_group, partition`,
  );
  expect(rows).toEqual([
    { consumer_group: 'linernotes-ingest', partition: 0, next_offset: '41' },
    { consumer_group: 'linernotes-ingest', partition: 1, next_offset: '12' },
    { consumer_group: 'trial', partition: 0, next_offset: '3' },
  ]);
  const { rows: audit } = await pool.query(
    'select actor, action, target, reason, detail from operation.audit',
  );
  expect(audit).toEqual([
    {
      actor: 'ada',
      action: 'positions set',
      target: 'producers.seen.festival/1',
      reason: 'the topic was emptied',
      detail: { group: 'linernotes-ingest', from: 7, to: 12 },
    },
  ]);
});

it.each([
  [2, SET, "required option '--why <text>' not specified"],
  [2, [...SET, '--why', ' '], "option '--why <text>' argument ' ' is invalid"],
  [
    2,
    [...SET, '--to', '1.5', '--why', 'x'],
    "option '--to <offset>' argument '1.5' is invalid. It must be a whole number",
  ],
  [
    2,
    ['positions', 'set', '--partition', '1', '--to', '2', '--why', 'x'],
    "required option '--topic <topic>' not specified",
  ],
  [1, [...SET, '--group', 'none', '--why', 'x'], 'group "none" has no position in producers.seen.festival/1'],
])('ends with exit code %i for %j', async (expected, argv, complaint) => {
  const { code, complaints } = await runOps(...argv);
  expect([code, complaints.join()]).toEqual([expected, expect.stringContaining(complaint)]);
  expect((await pool.query('select from operation.audit')).rowCount).toBe(0);
});
