import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { parseKey } from '../../services/access/keys.ts';
import { withDatabase } from '../../test/services/database.ts';
import { dispatch } from './dispatch.ts';

const database = withDatabase();

beforeEach(() => {
  vi.stubEnv('DATABASE_URL', database.url);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

async function run(...argv: string[]): Promise<string[]> {
  const printed: string[] = [];
  const failures: string[] = [];
  const code = await dispatch(
    argv,
    (line) => printed.push(line),
    (line) => failures.push(line),
  );
  expect([code, failures]).toEqual([0, []]);
  return printed;
}

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
  expect(listed[0]).toEqual(['id', 'environment', 'tier', 'label', 'createdAt', 'expiresAt', 'revokedAt']);
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

it('migrates a database once more without a word', async () => {
  expect(await run('migrate')).toEqual([]);
});
