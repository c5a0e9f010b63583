import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseKey } from '../../services/query/keys/keys.ts';
import { runOps } from '../../test/support/run-ops.ts';
import { withDatabase } from '../../test/support/services/database.ts';

const database = withDatabase();

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
let nowMs: number;

beforeEach(() => {
  vi.stubEnv('DATABASE_URL', database.url);
  nowMs = Date.now();
  vi.setSystemTime(nowMs);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

async function run(...argv: string[]): Promise<string[]> {
  const { code, printed, complaints } = await runOps(...argv);
  expect([code, complaints]).toEqual([0, []]);
  return printed;
}

/** A key in `keys list`, by column. */
async function listedKey(id: string): Promise<Record<string, string>> {
  const [head = [], ...rows] = (await run('keys', 'list')).map((line) => line.split('\t'));
  const row = rows.find(([first]) => first === id) ?? [];
  return Object.fromEntries(head.map((column, at) => [column, row[at] ?? '']));
}

const msBetween = (from = '', to = ''): number => Date.parse(to) - Date.parse(from);

it('issues a key, lists it without its secret, and revokes it', async () => {
  const [key = '', ...more] = await run(
    'keys',
    'issue',
    '--environment',
    'test',
    '--label',
    'two words',
    '--expires-days',
    '30',
  );
  expect(more).toEqual([]);
  const id = parseKey(key)?.id ?? '';
  expect(key.startsWith('ln_test_')).toBe(true);

  const listed = (await run('keys', 'list')).map((line) => line.split('\t'));
  expect(listed[0]).toEqual([
    'id',
    'environment',
    'tier',
    'label',
    'createdAt',
    'expiresAt',
    'revokedAt',
    'lastUsedAt',
    'replacedBy',
  ]);
  expect(listed[1]?.slice(0, 4)).toEqual([id, 'test', 'standard', 'two words']);
  const [, , , , , expires = '', revoked] = listed[1] ?? [];
  expect(Date.parse(expires)).toBe(nowMs + 30 * DAY_MS);
  expect(revoked).toBe('');
  expect(JSON.stringify(listed)).not.toContain(key.slice(-20));

  await run('keys', 'revoke', id);
  expect((await run('keys', 'list'))[1]?.split('\t')[6]).toMatch(/^\d{4}-/);
  const { rows } = await database.pool.query('select action, target from operation.audit order by id');
  expect(rows).toEqual([
    { action: 'keys issue', target: id },
    { action: 'keys revoke', target: id },
  ]);
});

describe('rotating', () => {
  const issued = async (...more: string[]): Promise<string> => {
    const [key = ''] = await run('keys', 'issue', '--label', 'Åland radio', '--tier', 'trial', ...more);
    return parseKey(key)?.id ?? '';
  };

  it('issues a key like the old one, which stays valid for a day', async () => {
    const id = await issued();
    const [key = '', ...more] = await run('keys', 'rotate', id);
    expect(more).toEqual([]);
    const newId = parseKey(key)?.id ?? '';
    expect(key.startsWith('ln_live_')).toBe(true);
    const old = await listedKey(id);
    expect(old).toMatchObject({ replacedBy: newId, revokedAt: '', lastUsedAt: '' });
    const replacement = await listedKey(newId);
    expect(msBetween(replacement.createdAt, old.expiresAt)).toBe(DAY_MS);
    expect(replacement).toMatchObject({
      environment: 'live',
      tier: 'trial',
      label: 'Åland radio',
      expiresAt: '',
      replacedBy: '',
    });
    const { rows } = await database.pool.query(
      `select action, detail ->> 'newId' as "newId", detail::text as text from operation.audit where target = $1 order by id`,
      [id],
    );
    expect(rows.map(({ action, newId: audited }) => [action, audited])).toEqual([
      ['keys issue', null],
      ['keys rotate', newId],
    ]);
    expect(JSON.stringify(rows)).not.toContain(key.slice(-20));
  });

  it('takes grace and lifetime from its options, and by default the lifetime of the old key', async () => {
    const id = await issued('--expires-days', '30');
    const first = await listedKey(id);
    const [key = ''] = await run('keys', 'rotate', id, '--grace-hours', '2');
    const newId = parseKey(key)?.id ?? '';
    const second = await listedKey(newId);
    expect(msBetween(second.createdAt, (await listedKey(id)).expiresAt)).toBe(2 * HOUR_MS);
    expect(Date.parse(second.expiresAt ?? '')).toBe(nowMs + msBetween(first.createdAt, first.expiresAt));
    const [text = ''] = await run('keys', 'rotate', newId, '--expires-days', '1', '--grace-hours', '0');
    const third = await listedKey(parseKey(text)?.id ?? '');
    expect((await listedKey(newId)).expiresAt).toBe(third.createdAt);
    expect(Date.parse(third.expiresAt ?? '')).toBe(nowMs + DAY_MS);
  });

  it('does not extend a key that expires sooner', async () => {
    const id = await issued('--expires-days', '1');
    const before = (await listedKey(id)).expiresAt;
    await run('keys', 'rotate', id, '--grace-hours', '48');
    expect((await listedKey(id)).expiresAt).toBe(before);
  });

  it.each([
    ['that does not exist', async () => 'nobody', 'there is no key with the id "nobody"'],
    [
      'that is revoked',
      async () => {
        const id = await issued();
        await run('keys', 'revoke', id);
        return id;
      },
      'is revoked; issue a new one',
    ],
    [
      'that has expired',
      async () => {
        const id = await issued();
        await run('keys', 'rotate', id, '--grace-hours', '0');
        return id;
      },
      'has expired; issue a new one',
    ],
    [
      'that is replaced',
      async () => {
        const id = await issued();
        await run('keys', 'rotate', id);
        return id;
      },
      'already',
    ],
  ])('rejects a key %s', async (_, prepare, words) => {
    const id = await prepare();
    const { rows: before } = await database.pool.query('select id from access.api_key');
    const { code, printed, complaints } = await runOps('keys', 'rotate', id);
    expect([code, printed]).toEqual([1, []]);
    expect(complaints.join()).toContain(words);
    const { rows: after } = await database.pool.query('select id from access.api_key');
    expect(after).toHaveLength(before.length);
  });

  it.each([
    [['keys', 'rotate'], "missing required argument 'id'"],
    [['keys', 'rotate', 'a', 'b'], "too many arguments for 'rotate'"],
    [['keys', 'rotate', 'a', '--grace-hours', '-1'], '--grace-hours'],
    [
      ['keys', 'rotate', 'a', '--grace-hours=1.5'],
      "option '--grace-hours <n>' argument '1.5' is invalid. It must be a whole number from 0 to 8760.",
    ],
    [
      ['keys', 'rotate', 'a', '--expires-days', '0'],
      "option '--expires-days <n>' argument '0' is invalid. It must be a whole number from 1 to 36500.",
    ],
  ])('names the mistake in %j', async (argv, words) => {
    const { code, complaints } = await runOps(...argv);
    expect(code).toBe(2);
    expect(complaints.join()).toContain(words);
    expect(complaints.join()).toContain('keys rotate [options] <id>');
  });
});

it('prints nothing for a database that is migrated already', async () => {
  expect(await run('migrate')).toEqual([]);
});
