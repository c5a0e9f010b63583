import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { subjectNames } from '../../services/taste/profile/subject.ts';
import { runOps } from '../../test/support/run-ops.ts';
import { withDatabase } from '../../test/support/services/database.ts';
import { connectAccount } from '../../test/support/taste/rows.ts';

const SECRET = 'a secret of the tests, of 32 bytes';
const USERNAME = 'a very private name';
const CLUSTER = 'c1'.repeat(32);

const { pool, url } = withDatabase();

beforeEach(() => {
  vi.stubEnv('DATABASE_URL', url);
  vi.stubEnv('TASTE_SECRET', SECRET);
  vi.stubEnv('LINERNOTES_OPERATOR', 'kim');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await pool.query('truncate taste.person cascade; truncate operation.audit');
});

/** A person with a row in every table. */
async function meet(username: string) {
  const connected = await connectAccount(pool, { username });
  const { person, account, import: id } = connected;
  await pool.query(
    `with item as (
       insert into taste.item (account_id, key, name, catalog_artist_id, import_id) values ($2, 'catalog:7', 'Mono', 7, $3)
     ), match as (
       insert into taste.match values ($2, $4, 'catalog')
     ), code as (
       insert into taste.code (digest, person_id, consumer, service, expires_at)
       values (sha256(gen_random_uuid()::text::bytea), $1, 'app', 'catalog', '2026-07-01T00:01:00Z')
     )
     insert into taste.token (digest, person_id, consumer, expires_at)
     values (sha256(gen_random_uuid()::text::bytea), $1, 'app', '2026-10-01T00:00:00Z')`,
    [person, account, id, CLUSTER],
  );
  return connected;
}

/** Every value in every column of every table of people, as text. */
async function everything(): Promise<string> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables where table_schema = 'taste'`,
  );
  expect(tables.length).toBeGreaterThanOrEqual(9);
  const contents = await Promise.all(
    tables.map(async ({ name }) => (await pool.query(`select t::text as row from ${name} t`)).rows),
  );
  return JSON.stringify(contents);
}

it('exports all data of a person except secrets', async () => {
  const { person, receipt, import: id } = await meet(USERNAME);
  await meet('another');
  const { code, printed, complaints } = await runOps('subject', 'export', receipt);
  expect([code, complaints]).toEqual([0, []]);
  const record = JSON.parse(printed.join('\n'));
  const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
  expect(record).toEqual({
    person: { id: person, created_at: instant, seen_at: instant, exchanged_at: null },
    subjects: [{ consumer: 'app', sub: subjectNames(SECRET)({ consumer: 'app', person }) }],
    consents: [
      {
        receipt,
        consumer: 'app',
        service: 'catalog',
        username: USERNAME,
        contract: 'v1',
        granted_at: instant,
        withdrawn_at: null,
        withdrawal_receipt: null,
      },
    ],
    accounts: [
      {
        service: 'catalog',
        username: USERNAME,
        connected_at: instant,
        imports: [
          {
            id,
            state: 'queued',
            requested_at: instant,
            started_at: null,
            finished_at: null,
            items: 0,
            matched: 0,
            failure: null,
          },
        ],
        items: [{ name: 'Mono', mbid: null, catalog_artist_id: 7 }],
        matches: [{ cluster_id: CLUSTER, via: 'catalog' }],
      },
    ],
    tokens: [
      {
        consumer: 'app',
        scopes: ['profile:read'],
        created_at: instant,
        used_at: instant,
        expires_at: instant,
        revoked_at: null,
      },
    ],
    codes: [
      { consumer: 'app', service: 'catalog', minted_at: instant, expires_at: instant, claimed_at: null },
    ],
  });
  const { rows } = await pool.query<{ digest: string }>(
    `select encode(digest, 'hex') as digest from taste.token union all select encode(digest, 'hex') from taste.person`,
  );
  for (const { digest } of rows) expect(printed.join()).not.toContain(digest);
});

it('finds the same person by both receipts, by subject and by id', async () => {
  const { person, receipt } = await meet(USERNAME);
  await meet('another');
  const subject = subjectNames(SECRET)({ consumer: 'app', person });
  const withdrawal = 'rcpt_v1_withdrawal';
  await pool.query(
    'update taste.consent set withdrawn_at = now(), withdrawal_receipt = $1 where receipt = $2',
    [withdrawal, receipt],
  );
  for (const given of [receipt, withdrawal, subject, person]) {
    const { printed } = await runOps('subject', 'export', given);
    expect(JSON.parse(printed.join('\n')).person.id, given).toBe(person);
  }
});

it('erases the rows of one person only', async () => {
  const { person, account, import: id, receipt } = await meet(USERNAME);
  const other = await meet('another');
  const ids = [USERNAME, person, account, id, receipt];
  const before = await everything();
  for (const one of ids) expect(before).toContain(one);
  const { code, printed } = await runOps('subject', 'erase', person, '--why', 'asked for by mail');
  expect([code, printed]).toEqual([
    0,
    ['erased: 1 matches, 1 items, 1 imports, 1 accounts, 1 consents, 1 codes, 1 tokens, 1 persons'],
  ]);
  const after = await everything();
  for (const one of ids) expect(after).not.toContain(one);
  for (const one of ['another', other.person, other.account, other.import, other.receipt])
    expect(after).toContain(one);
  expect((await runOps('subject', 'export', person)).complaints).toEqual(['no person has that id']);
});

it('audits the operator and the reason, but not the person', async () => {
  const { person, account, receipt } = await meet(USERNAME);
  await runOps('subject', 'export', receipt);
  await runOps('subject', 'erase', receipt, '--why', 'asked for by mail');
  const { rows } = await pool.query(
    'select actor, action, target, reason, detail from operation.audit order by id',
  );
  expect(rows).toEqual([
    { actor: 'kim', action: 'subject export', target: rows[0].target, reason: null, detail: {} },
    {
      actor: 'kim',
      action: 'subject erase',
      target: rows[0].target,
      reason: 'asked for by mail',
      detail: { matches: 1, items: 1, imports: 1, accounts: 1, consents: 1, codes: 1, tokens: 1, persons: 1 },
    },
  ]);
  expect(rows[0].target).toMatch(/^person [0-9a-f]{16}$/);
  for (const one of [person, account, receipt, USERNAME]) expect(JSON.stringify(rows)).not.toContain(one);
});

it.each([
  [['export'], 2, "missing required argument 'subject'"],
  [['export', 'somebody'], 2, 'a subject is a receipt rcpt_v1_…, a sub_v1_… or the id of a person'],
  [['export', 'rcpt_v1_unknown'], 1, 'no person has that id'],
  [['export', 'sub_v1_unknown'], 1, 'no person has that id'],
  [['erase', '00000000-0000-4000-8000-000000000000'], 2, "required option '--why <text>' not specified"],
  [['erase', '00000000-0000-4000-8000-000000000000', '--why', 'x'], 1, 'no person has that id'],
  [['forget'], 2, "unknown command 'forget'"],
])('rejects %j', async (argv, code, complaint) => {
  const outcome = await runOps('subject', ...argv);
  expect([outcome.code, outcome.printed]).toEqual([code, []]);
  expect(outcome.complaints.join()).toContain(complaint);
  expect((await pool.query('select from operation.audit')).rowCount).toBe(0);
});

it('names the secret it needs to trace a subject', async () => {
  vi.stubEnv('TASTE_SECRET', '');
  expect(await runOps('subject', 'export', 'sub_v1_somebody')).toEqual({
    code: 1,
    printed: [],
    complaints: ['set TASTE_SECRET to the secret of the taste service, to trace a sub_v1_ to its person'],
  });
});
