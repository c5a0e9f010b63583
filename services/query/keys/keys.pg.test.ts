import { beforeEach, expect, it } from 'vitest';
import { withDatabase } from '../../../test/support/services/database.ts';
import { digestOf, issueKey, listKeys, parseKey, revokeKey } from './keys.ts';

const { pool } = withDatabase();
const PARTNER = { environment: 'live', label: 'partner', tier: 'standard', expiresAt: null } as const;

beforeEach(async () => {
  await pool.query('truncate access.api_key');
});

it('issues unique keys that parse', async () => {
  const issued = [];
  for (let count = 0; count < 20; count++) issued.push(await issueKey(pool, PARTNER));
  for (const { id, key } of issued) expect(parseKey(key)).toEqual({ environment: 'live', id });
  expect(new Set(issued.map(({ key }) => key.slice(18))).size).toBe(20);
});

it('stores the digest and nothing of the secret', async () => {
  const { id, key } = await issueKey(pool, { ...PARTNER, environment: 'test' });
  const { rows } = await pool.query<{ digest: Buffer; text: string }>(
    'select digest, to_jsonb(k)::text as text from access.api_key k where id = $1',
    [id],
  );
  expect(rows[0]?.digest).toEqual(digestOf(key));
  expect(rows[0]?.text).toContain(id);
  expect(rows[0]?.text).not.toContain(key.slice('ln_test_'.length + id.length));
});

it('lists keys by age with their properties', async () => {
  const expiresAt = new Date('2030-01-02T03:04:05.000Z');
  const first = await issueKey(pool, PARTNER);
  const second = await issueKey(pool, { environment: 'test', label: 'Ångström', tier: 'trial', expiresAt });
  expect(await listKeys(pool)).toEqual([
    {
      ...PARTNER,
      id: first.id,
      createdAt: expect.any(Date),
      revokedAt: null,
      lastUsedAt: null,
      replacedBy: null,
    },
    {
      environment: 'test',
      label: 'Ångström',
      tier: 'trial',
      expiresAt,
      id: second.id,
      createdAt: expect.any(Date),
      revokedAt: null,
      lastUsedAt: null,
      replacedBy: null,
    },
  ]);
});

it('revokes one key for good and reports a missing key', async () => {
  const revoked = await issueKey(pool, PARTNER);
  const active = await issueKey(pool, PARTNER);
  const since = await revokeKey(pool, revoked.id);
  expect(since).toBeInstanceOf(Date);
  expect(await revokeKey(pool, revoked.id)).toEqual(since);
  expect(await revokeKey(pool, 'unknown')).toBeNull();
  const byId = new Map((await listKeys(pool)).map((key) => [key.id, key.revokedAt]));
  expect(byId).toEqual(
    new Map([
      [revoked.id, since],
      [active.id, null],
    ]),
  );
});
