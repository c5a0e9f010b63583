import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { withDatabase } from '../../../test/support/services/database.ts';
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

it('knows a key only after its first verification', async () => {
  const { id, key } = await issue();
  expect(verifier.known(key)).toBeUndefined();
  expect(await verifier.verify(key)).toMatchObject({ id, environment: 'live', tier: 'trial' });
  expect(verifier.known(key)).toMatchObject({ id });
});

it('recognizes a key that it verified, even if it has to read it again', async () => {
  const { id, key } = await issue();
  expect(verifier.recognize(key)).toBeNull();
  await verifier.verify(key);
  now += 60_000;
  expect([verifier.known(key), verifier.recognize(key)]).toEqual([undefined, id]);
  expect(verifier.recognize(`${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`)).toBeNull();
});

it('rejects a revoked key within five seconds', async () => {
  const { id, key } = await issue();
  await verifier.verify(key);
  await revokeKey(pool, id);
  now += 4_900;
  expect(verifier.known(key)).toBeUndefined();
  expect(await verifier.verify(key)).toBeNull();
  expect(verifier.known(key)).toBeNull();
});

it('rejects a key as soon as it expires, even if cached', async () => {
  const { key } = await issue(new Date(now + 1_000));
  expect(await verifier.verify(key)).not.toBeNull();
  now += 1_000;
  expect(verifier.known(key)).toBeNull();
});

it('rejects a key with the id of another, read or cached', async () => {
  const first = await issue();
  const second = await issue();
  // The ids are swapped: the stored digest of an id is not that of the key.
  await pool.query('delete from access.api_key where id = $1', [second.id]);
  await pool.query('update access.api_key set id = $1 where id = $2', [second.id, first.id]);
  expect(await verifier.verify(second.key)).toBeNull();
  expect(verifier.known(second.key)).toBeNull();
});

it('runs no query for a malformed key, and one for many requests', async () => {
  const { key } = await issue();
  const statements = vi.spyOn(pg.Client.prototype, 'query');
  expect(verifier.known(`${key}0`)).toBeNull();
  expect(await verifier.verify(key.slice(0, -1))).toBeNull();
  expect(statements).not.toHaveBeenCalled();
  await Promise.all([1, 2, 3, 4, 5].map(() => verifier.verify(key)));
  expect(statements).toHaveBeenCalledTimes(1);
});

it('caches an unknown key as long', async () => {
  const { id, key } = await issue();
  await pool.query('delete from access.api_key where id = $1', [id]);
  expect(await verifier.verify(key)).toBeNull();
  expect(verifier.known(key)).toBeNull();
  now += 4_000;
  expect(verifier.known(key)).toBeUndefined();
});

it('does not cache a failure of the database', async () => {
  const { key } = await issue();
  vi.spyOn(pool, 'query').mockImplementationOnce(() => Promise.reject(new Error('lost')) as never);
  await expect(verifier.verify(key)).rejects.toThrow('lost');
  expect(await verifier.verify(key)).not.toBeNull();
});

describe('while the database cannot confirm a key', () => {
  const lose = () =>
    vi.spyOn(pool, 'query').mockImplementation(() => Promise.reject(new Error('lost')) as never);

  it('keeps a known key valid for 15 minutes, but not beyond its expiry', async () => {
    const [lasting, expiring] = [await issue(), await issue(new Date(now + 60_000))];
    for (const { key } of [lasting, expiring]) await verifier.verify(key);
    lose();
    now += 60_000;
    expect(verifier.known(lasting.key)).toBeUndefined();
    expect(await verifier.verify(lasting.key)).toMatchObject({ id: lasting.id });
    expect(await verifier.verify(expiring.key)).toBeNull();
    now += 14 * 60_000;
    await expect(verifier.verify(lasting.key)).rejects.toThrow('lost');
  });

  it('does not wait for a database that does not respond', async () => {
    const { id, key } = await issue();
    await verifier.verify(key);
    const silent = vi.spyOn(pool, 'query').mockImplementation(() => new Promise(() => {}) as never);
    now += 4_000;
    expect(await verifier.verify(key)).toMatchObject({ id });
    expect(silent).toHaveBeenCalledTimes(1);
  });

  it('accepts no other key', async () => {
    const { key } = await issue();
    lose();
    await expect(verifier.verify(key)).rejects.toThrow('lost');
  });

  it('forgets the key once the database says that it is revoked', async () => {
    const { id, key } = await issue();
    await verifier.verify(key);
    await revokeKey(pool, id);
    now += 4_000;
    expect(await verifier.verify(key)).toBeNull();
    lose();
    now += 4_000;
    await expect(verifier.verify(key)).rejects.toThrow('lost');
  });
});
