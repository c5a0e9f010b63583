import pg from 'pg';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { withDatabase } from '../../test/services/database.ts';
import { issueKey, revokeKey } from './keys.ts';
import { type KeyVerifier, keyVerifier } from './verify-key.ts';

const { pool } = withDatabase();
let now = 0;
let verifier: KeyVerifier;

beforeEach(() => {
  now = Date.now();
  verifier = keyVerifier(pool, () => now);
});
afterEach(() => vi.restoreAllMocks());

const issue = (expiresAt: Date | null = null) =>
  issueKey(pool, { environment: 'live', label: 'partner', tier: 'trial', expiresAt });

it('knows a key only once it was asked for', async () => {
  const { id, key } = await issue();
  expect(verifier.known(key)).toBeUndefined();
  expect(await verifier.verify(key)).toMatchObject({ id, environment: 'live', tier: 'trial' });
  expect(verifier.known(key)).toMatchObject({ id });
});

it('refuses a revoked key within five seconds', async () => {
  const { id, key } = await issue();
  await verifier.verify(key);
  await revokeKey(pool, id);
  now += 4_900;
  expect(verifier.known(key)).toBeUndefined();
  expect(await verifier.verify(key)).toBeNull();
  expect(verifier.known(key)).toBeNull();
});

it('refuses an expired key at once, though it is remembered', async () => {
  const { key } = await issue(new Date(now + 1_000));
  expect(await verifier.verify(key)).not.toBeNull();
  now += 1_000;
  expect(verifier.known(key)).toBeNull();
});

it('refuses a key with the id of another, asked for or remembered', async () => {
  const first = await issue();
  const second = await issue();
  // The ids changed places: the digest that is kept for an id is not that of the key.
  await pool.query('delete from access.api_key where id = $1', [second.id]);
  await pool.query('update access.api_key set id = $1 where id = $2', [second.id, first.id]);
  expect(await verifier.verify(second.key)).toBeNull();
  expect(verifier.known(second.key)).toBeNull();
});

it('asks nothing for a malformed key, and once for many requests', async () => {
  const { key } = await issue();
  const statements = vi.spyOn(pg.Client.prototype, 'query');
  expect(verifier.known(`${key}0`)).toBeNull();
  expect(await verifier.verify(key.slice(0, -1))).toBeNull();
  expect(statements).not.toHaveBeenCalled();
  await Promise.all([1, 2, 3, 4, 5].map(() => verifier.verify(key)));
  expect(statements).toHaveBeenCalledTimes(1);
});

it('remembers that a key is unknown, for as long', async () => {
  const { id, key } = await issue();
  await pool.query('delete from access.api_key where id = $1', [id]);
  expect(await verifier.verify(key)).toBeNull();
  expect(verifier.known(key)).toBeNull();
  now += 4_000;
  expect(verifier.known(key)).toBeUndefined();
});

it('does not remember a failure of the database', async () => {
  const { key } = await issue();
  vi.spyOn(pool, 'query').mockImplementationOnce(() => Promise.reject(new Error('lost')) as never);
  await expect(verifier.verify(key)).rejects.toThrow('lost');
  expect(await verifier.verify(key)).not.toBeNull();
});
