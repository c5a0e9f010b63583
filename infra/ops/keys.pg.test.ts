import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseKey } from '../../services/access/keys.ts';
import { runOps } from '../../test/run-ops.ts';
import { withDatabase } from '../../test/services/database.ts';

const database = withDatabase();

beforeEach(() => {
  vi.stubEnv('DATABASE_URL', database.url);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

async function run(...argv: string[]): Promise<string[]> {
  const { code, printed, complaints } = await runOps(...argv);
  expect([code, complaints]).toEqual([0, []]);
  return printed;
}

/** What `keys list` says of a key, by column. */
async function listedKey(id: string): Promise<Record<string, string>> {
  const [head = [], ...rows] = (await run('keys', 'list')).map((line) => line.split('\t'));
  const row = rows.find(([first]) => first === id) ?? [];
  return Object.fromEntries(head.map((column, at) => [column, row[at] ?? '']));
}

const hoursUntil = (instant = ''): number => (Date.parse(instant) - Date.now()) / 3_600_000;

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
  const [, , , , created = '', expires = '', revoked] = listed[1] ?? [];
  const days = (Date.parse(expires) - Date.parse(created)) / 86_400_000;
  expect(days).toBeCloseTo(30, 2);
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

  it('issues a key like the old one, which goes on for a day', async () => {
    const id = await issued();
    const [key = '', ...more] = await run('keys', 'rotate', id);
    expect(more).toEqual([]);
    const newId = parseKey(key)?.id ?? '';
    expect(key.startsWith('ln_live_')).toBe(true);
    const old = await listedKey(id);
    expect(old).toMatchObject({ replacedBy: newId, revokedAt: '', lastUsedAt: '' });
    expect(hoursUntil(old.expiresAt)).toBeCloseTo(24, 1);
    expect(await listedKey(newId)).toMatchObject({
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

  it('gives as long as it is told, and the lifetime of the old key unless told another', async () => {
    const id = await issued('--expires-days', '30');
    const [key = ''] = await run('keys', 'rotate', id, '--grace-hours', '2');
    expect(hoursUntil((await listedKey(id)).expiresAt)).toBeCloseTo(2, 1);
    const newId = parseKey(key)?.id ?? '';
    expect(hoursUntil((await listedKey(newId)).expiresAt)).toBeCloseTo(30 * 24, 1);
    const [third = ''] = await run('keys', 'rotate', newId, '--expires-days', '1', '--grace-hours', '0');
    expect(hoursUntil((await listedKey(newId)).expiresAt)).toBeLessThanOrEqual(0);
    expect(hoursUntil((await listedKey(parseKey(third)?.id ?? '')).expiresAt)).toBeCloseTo(24, 1);
  });

  it('does not draw out a key that ends sooner', async () => {
    const id = await issued('--expires-days', '1');
    const before = (await listedKey(id)).expiresAt;
    await run('keys', 'rotate', id, '--grace-hours', '48');
    expect((await listedKey(id)).expiresAt).toBe(before);
  });

  it.each([
    ['that there is none of', async () => 'nobody', 'there is no key with the id "nobody"'],
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
  ])('refuses a key %s', async (_, prepare, words) => {
    const id = await prepare();
    const { rows: before } = await database.pool.query('select id from access.api_key');
    const { code, printed, complaints } = await runOps('keys', 'rotate', id);
    expect([code, printed]).toEqual([1, []]);
    expect(complaints.join()).toContain(words);
    const { rows: after } = await database.pool.query('select id from access.api_key');
    expect(after).toHaveLength(before.length);
  });

  it.each([
    [['keys', 'rotate'], 'keys rotate takes one id'],
    [['keys', 'rotate', 'a', 'b'], 'keys rotate takes one id'],
    [['keys', 'rotate', 'a', '--grace-hours', '-1'], '--grace-hours'],
    [
      ['keys', 'rotate', 'a', '--grace-hours=1.5'],
      '--grace-hours is a whole number from 0 to 8760, not "1.5"',
    ],
    [
      ['keys', 'rotate', 'a', '--expires-days', '0'],
      '--expires-days is a whole number from 1 to 36500, not "0"',
    ],
  ])('says what is mistyped in %j', async (argv, words) => {
    const { code, complaints } = await runOps(...argv);
    expect(code).toBe(2);
    expect(complaints.join()).toContain(words);
    expect(complaints.join()).toContain('keys rotate ID [--grace-hours N] [--expires-days N]');
  });
});

it('migrates a database once more without a word', async () => {
  expect(await run('migrate')).toEqual([]);
});
