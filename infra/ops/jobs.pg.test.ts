import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { LOCKS } from '../../db/locks.ts';
import { registerSources } from '../../projections/engine/registry.ts';
import { fillArtists } from '../../test/support/projections/artists.ts';
import { runOps } from '../../test/support/run-ops.ts';
import { withDatabase } from '../../test/support/services/database.ts';
import { startJobs } from '../../workers/jobs/runner/start-jobs.ts';

const { url, pool } = withDatabase();

beforeEach(() => {
  vi.stubEnv('DATABASE_URL', url);
  vi.stubEnv('REDIS_URL', '');
  vi.stubEnv('LINERNOTES_OPERATOR', 'kim');
});
afterEach(() => {
  vi.unstubAllEnvs();
});

it.each([
  [['jobs'], 'run [options] <name>'],
  [['jobs', 'run'], "missing required argument 'name'"],
  [
    ['jobs', 'run', 'nonsense'],
    'Allowed choices are aura, breakouts, rebuild, retention, search-generation, taste-import, taste-rematch, taste-retention, tastemakers',
  ],
  [
    ['jobs', 'run', 'rebuild', '--data', '{'],
    "option '--data <json>' argument '{' is invalid. It must be JSON.",
  ],
  [['jobs', 'failed', 'one', 'two'], "too many arguments for 'failed'"],
  [['jobs', 'retry'], "missing required argument 'id'"],
])('prints the usage for %j', async (argv, complaint) => {
  const { code, printed, complaints } = await runOps(...argv);
  expect([code, printed]).toEqual([2, []]);
  expect(complaints.join()).toContain(complaint);
  expect(complaints.join()).toContain('Usage:');
});

it('runs a job in its own process, prints its progress, and audits the operator', async () => {
  await fillArtists(pool, await registerSources(pool), 1_200);
  const { code, printed, complaints } = await runOps(
    'jobs',
    'run',
    'rebuild',
    '--inline',
    '--data',
    '{"projection":"artist"}',
  );
  expect([code, complaints]).toEqual([0, []]);
  expect(printed[0]).toMatch(/^\d+ of 1200 \(\d+ %\)/);
  expect(printed.at(-1)).toBe('done: projection artist, state live, version 1');
  const { rows } = await pool.query(
    `select actor, target, detail from operation.audit where action = 'jobs run'`,
  );
  const data = {
    projection: 'artist',
    promote: false,
    fromScratch: false,
    decision: { actor: 'linernotes', reason: null },
  };
  expect(rows).toEqual([{ actor: 'kim', target: 'rebuild', detail: { data, inline: true } }]);
  const listed = await runOps('jobs', 'list');
  expect(
    listed.printed.map((line) => line.split('\t').filter((_, index) => index !== 2 && index !== 3)),
  ).toEqual([
    ['name', 'schedule', 'lastResult', 'failures', 'nextRun'],
    ['aura', '*/5 * * * *', '', '0', ''],
    ['breakouts', '*/5 * * * *', '', '0', ''],
    ['rebuild', '', 'done: projection artist, state live, version 1', '0', ''],
    ['retention', '17 3 * * *', '', '0', ''],
    ['search-generation', '* * * * *', '', '0', ''],
    ['taste-import', '* * * * *', '', '0', ''],
    ['taste-rematch', '*/5 * * * *', '', '0', ''],
    ['taste-retention', '47 3 * * *', '', '0', ''],
    ['tastemakers', '10 4 * * *', '', '0', ''],
  ]);
});

it('reports invalid data before anything is queued', async () => {
  const { code, printed, complaints } = await runOps(
    'jobs',
    'run',
    'rebuild',
    '--data',
    '{"projection":"artst"}',
  );
  expect([code, printed]).toEqual([1, []]);
  expect(complaints.join()).toMatch(/^rebuild cannot run with this data: projection: /);
});

it('fails if the Redis of the queue is unavailable', async () => {
  vi.stubEnv('REDIS_URL', 'redis://127.0.0.1:1');
  expect(await runOps('jobs', 'failed')).toEqual({
    code: 1,
    printed: [],
    complaints: ['cannot reach the Redis of the queue: connect ECONNREFUSED 127.0.0.1:1'],
  });
});

it('does not run a job that is already running', async () => {
  const other = await pool.connect();
  await other.query(`select pg_advisory_lock($1, hashtext('retention'))`, [LOCKS.job]);
  expect(await runOps('jobs', 'run', 'retention', '--inline')).toEqual({
    code: 1,
    printed: [],
    complaints: ['retention is running already'],
  });
  await other.query('select pg_advisory_unlock_all()');
  other.release();
  expect((await runOps('jobs', 'run', 'retention', '--inline')).code).toBe(0);
});

it('has a job worker run a job, and prints its progress', async () => {
  const worker = startJobs({ databaseUrl: url, pool, log: pino({ level: 'silent' }) });
  await worker.ready;
  const { code, printed, complaints } = await runOps(
    'jobs',
    'run',
    'rebuild',
    '--data',
    '{"projection":"label"}',
  );
  await worker.stop();
  expect([code, complaints]).toEqual([0, []]);
  expect(printed[0]).toMatch(/^rebuild is queued as job rebuild-[0-9a-f]{8}$/);
  expect(printed.at(-1)).toBe('done: projection label, state live, version 2');
});
