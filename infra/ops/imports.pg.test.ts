import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { importMetrics } from '../../projections/models/taste/import-metrics.ts';
import { IMPORT_CHANNEL } from '../../projections/models/taste/imports.ts';
import { runOps } from '../../test/support/run-ops.ts';
import { withDatabase } from '../../test/support/services/database.ts';
import { listenOn } from '../../test/support/services/notifications.ts';
import { connectAccount, importState } from '../../test/support/taste/rows.ts';

const WHY = ['--why', 'the service is back'];

const { pool, url } = withDatabase();

beforeEach(() => {
  vi.stubEnv('DATABASE_URL', url);
  vi.stubEnv('LINERNOTES_OPERATOR', 'kim');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await pool.query('truncate taste.person cascade; truncate taste.upstream, operation.audit');
});

interface Case {
  readonly service?: 'scrobbler' | 'catalog';
  readonly state: 'failed' | 'queued' | 'running' | 'done';
  readonly failure?: string | null;
}

/** An import of a new person. */
async function importIn({ service = 'catalog', state, failure = null }: Case) {
  const connected = await connectAccount(pool, { service, username: 'a very private name' });
  await pool.query(
    `update taste.import set state = $2, failure = $3, attempt = 7, started_at = now() - interval '1 day',
       due_at = now() + interval '1 hour', finished_at = case when $2 = 'failed' then now() end
     where id = $1`,
    [connected.import, state, failure],
  );
  return connected;
}

const breakOff = (service: string, since = '2 hours') =>
  pool.query(
    `insert into taste.upstream (service, free_at, failures, failing_import, failure, failing_since)
     values ($1, now() + interval '10 min', 5, gen_random_uuid(), 'unavailable', now() - $2::interval)`,
    [service, since],
  );

const stateOf = async (id: string): Promise<string | undefined> => (await importState(pool, id))?.state;

describe('imports list', () => {
  it('counts waiting and failed imports, without names', async () => {
    await importIn({ state: 'failed', failure: 'unavailable' });
    await importIn({ state: 'failed', failure: 'unavailable' });
    await importIn({ state: 'queued' });
    await importIn({ state: 'done' });
    await importIn({ service: 'scrobbler', state: 'queued', failure: 'refused' });
    await breakOff('catalog');
    const { code, printed } = await runOps('imports', 'list');
    expect(code).toBe(0);
    const cells = printed.map((line) => line.split('\t'));
    expect(cells.map((row) => row.slice(0, 4))).toEqual([
      ['service', 'state', 'failure', 'imports'],
      ['catalog', 'queued', '', '1'],
      ['catalog', 'failed', 'unavailable', '2'],
      ['scrobbler', 'queued', 'refused', '1'],
      [''],
      ['service', 'failures', 'failure', 'failingSince'],
      ['catalog', '5', 'unavailable', expect.stringMatching(/^\d{4}-/)],
    ]);
    expect(printed.join('\n')).not.toContain('private');
  });

  it('leaves out an import that failed before a newer one', async () => {
    const { person } = await importIn({ state: 'failed', failure: 'private' });
    await connectAccount(pool, { username: 'a very private name', person, consumer: 'another' });
    const { printed } = await runOps('imports', 'list');
    expect(printed.slice(1, 3).map((line) => line.split('\t').slice(0, 4))).toEqual([
      ['catalog', 'queued', '', '1'],
      [''],
    ]);
  });
});

describe('imports retry', () => {
  it('starts failed and waiting imports with all their attempts, and is audited', async () => {
    const failed = await importIn({ state: 'failed', failure: 'unavailable' });
    const waiting = await importIn({ state: 'queued', failure: 'unavailable' });
    const closed = await importIn({ state: 'failed', failure: 'private' });
    const other = await importIn({ service: 'scrobbler', state: 'failed', failure: 'unavailable' });
    await breakOff('catalog');
    await breakOff('scrobbler');
    const outcome = await runOps(
      'imports',
      'retry',
      '--failure',
      'unavailable',
      '--service',
      'catalog',
      ...WHY,
    );
    expect(outcome).toEqual({ code: 0, printed: ['queued again: 1 failed, 1 waiting'], complaints: [] });
    const { rows } = await pool.query(
      `select started_at, finished_at, due_at <= clock_timestamp() as due from taste.import where id = any($1)`,
      [[failed.import, waiting.import]],
    );
    expect(rows).toEqual([
      { started_at: null, finished_at: null, due: true },
      { started_at: null, finished_at: null, due: true },
    ]);
    for (const { import: id } of [failed, waiting])
      expect(await importState(pool, id)).toMatchObject({ state: 'queued', failure: null, attempt: 0 });
    for (const { import: id } of [closed, other]) expect(await stateOf(id)).toBe('failed');
    const services = await pool.query(
      'select service, failures, free_at <= clock_timestamp() as free from taste.upstream order by service',
    );
    expect(services.rows).toEqual([
      { service: 'catalog', failures: 0, free: true },
      { service: 'scrobbler', failures: 5, free: false },
    ]);
    const audit = await pool.query('select actor, action, target, reason, detail from operation.audit');
    expect(audit.rows).toEqual([
      {
        actor: 'kim',
        action: 'imports retry',
        target: 'catalog',
        reason: 'the service is back',
        detail: { failures: ['unavailable'], failed: 1, waiting: 1 },
      },
    ]);
  });

  it('retries all failures except not_configured, and wakes the job', async () => {
    const failures = ['unavailable', 'bad_answer', 'refused', 'private', 'user_not_found', 'not_computed'];
    for (const failure of failures) await importIn({ state: 'failed', failure });
    const unset = await importIn({ state: 'failed', failure: 'not_configured' });
    let notifications = 0;
    const listener = await listenOn(pool, IMPORT_CHANNEL, () => notifications++);
    const { printed } = await runOps('imports', 'retry', '--all', ...WHY);
    await expect.poll(() => notifications).toBe(1);
    listener.stop();
    expect(printed).toEqual(['queued again: 6 failed, 0 waiting']);
    expect(await stateOf(unset.import)).toBe('failed');
  });

  it('skips persons who withdrew, or who have a newer import', async () => {
    const withdrawn = await importIn({ state: 'failed', failure: 'refused' });
    await pool.query('update taste.consent set withdrawn_at = now() where receipt = $1', [withdrawn.receipt]);
    const { person, import: old } = await importIn({ state: 'failed', failure: 'refused' });
    await connectAccount(pool, { username: 'a very private name', person, consumer: 'another' });
    const { printed } = await runOps('imports', 'retry', '--all', ...WHY);
    expect(printed).toEqual(['queued again: 0 failed, 0 waiting']);
    expect([await stateOf(withdrawn.import), await stateOf(old)]).toEqual(['failed', 'failed']);
  });

  it.each([
    [[...WHY], 'imports retry takes one --failure, or --all'],
    [['--all', '--failure', 'refused', ...WHY], 'imports retry takes one --failure, or --all'],
    [['--all'], "required option '--why <text>' not specified"],
    [
      ['--failure', 'not_configured', ...WHY],
      "argument 'not_configured' is invalid. Allowed choices are user_not_found, private",
    ],
    [
      ['--all', '--service', 'upload', ...WHY],
      "argument 'upload' is invalid. Allowed choices are scrobbler, catalog.",
    ],
  ])('rejects %j', async (argv, complaint) => {
    const { code, complaints } = await runOps('imports', 'retry', ...argv);
    expect(code).toBe(2);
    expect(complaints.join('\n')).toContain(complaint);
  });
});

describe('status', () => {
  it('shows imports, and is in error once a service has failed for an hour', async () => {
    await importIn({ state: 'queued', failure: 'unavailable' });
    await breakOff('catalog', '50 min');
    const soon = await runOps('status');
    expect([soon.code, soon.complaints]).toEqual([0, []]);
    expect(soon.printed).toContainEqual(expect.stringMatching(/^catalog\tqueued\tunavailable\t1\t/));
    expect(soon.printed).toContainEqual(expect.stringMatching(/^catalog\t5\tunavailable\t/));
    await pool.query(`update taste.upstream set failing_since = now() - interval '61 min'`);
    const later = await runOps('status', '--json');
    expect([later.code, later.complaints]).toEqual([1, ['in error: imports from catalog']]);
    expect(JSON.parse(later.printed.join('\n')).imports).toMatchObject({
      imports: [{ service: 'catalog', state: 'queued', failure: 'unavailable', imports: 1 }],
      services: [{ service: 'catalog', failures: 5 }],
    });
  });
});

describe('metrics', () => {
  const lines = async (): Promise<string[]> =>
    (await importMetrics(pool).metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));

  it('count waiting and failed imports, and how long one has been due', async () => {
    expect(await lines()).toEqual(['linernotes_taste_imports_up 1']);
    await importIn({ state: 'failed', failure: 'private' });
    await importIn({ state: 'queued', failure: 'refused' });
    const { import: waiting } = await importIn({ state: 'queued' });
    await pool.query(`update taste.import set due_at = now() - interval '90 s' where id = $1`, [waiting]);
    await breakOff('catalog');
    const metrics = await lines();
    expect(metrics).toContain(
      'linernotes_taste_imports{service="catalog",state="failed",failure="private"} 1',
    );
    expect(metrics).toContain(
      'linernotes_taste_imports{service="catalog",state="queued",failure="refused"} 1',
    );
    expect(metrics).toContain('linernotes_taste_imports{service="catalog",state="queued",failure=""} 1');
    expect(metrics).toContain('linernotes_taste_service_failures{service="catalog"} 5');
    const wait = metrics.find((line) => line.startsWith('linernotes_taste_import_wait_seconds'));
    const seconds = Number(wait?.split(' ').at(-1));
    expect(seconds).toBeGreaterThanOrEqual(90);
    const { rowCount } = await pool.query(
      `select from taste.import where id = $1 and due_at <= clock_timestamp() - $2 * interval '1 s'`,
      [waiting, seconds],
    );
    expect(rowCount).toBe(1);
  });

  it('report that they are unavailable if the database does not respond', async () => {
    await pool.query('alter table taste.upstream rename to upstream_away');
    try {
      expect(await lines()).toEqual(['linernotes_taste_imports_up 0']);
    } finally {
      await pool.query('alter table taste.upstream_away rename to upstream');
    }
  });
});
