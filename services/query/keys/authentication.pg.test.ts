import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { transaction } from '../../../db/transaction.ts';
import { artistMomentum } from '../../../projections/contracts/seen/artist-momentum.ts';
import { artistProjection } from '../../../projections/models/artist/project.ts';
import { withQueryService } from '../../../test/support/query/service.ts';
import { CLUSTER, rowsOf } from '../../../test/support/rows/source-rows.ts';
import type { QueryParts } from '../parts.ts';
import { issueKey, listKeys, revokeKey, rotateKey } from './keys.ts';

const EFFECTIVE_MS = 5_000;
const DOSSIER = `/api/v2/artist/${CLUSTER}`;

let now: number;
const apps: FastifyInstance[] = [];
const { pool, ...service } = withQueryService({
  rows: [rowsOf(artistMomentum, {})],
  projections: [artistProjection],
  parts: { now: () => now },
});

beforeEach(() => {
  now = Date.now();
});
afterEach(() => {
  apps.length = 0;
});

/** An app with its own cache of keys, like another process. */
async function open(changed: Partial<QueryParts> = {}): Promise<FastifyInstance> {
  const app = await service.open(changed);
  apps.push(app);
  return app;
}

const issue = (environment: 'live' | 'test' = 'live', expiresAt: Date | null = null) =>
  issueKey(pool, { environment, label: 'a', tier: 'standard', expiresAt });

const ask = (app: FastifyInstance, key: string) =>
  app.inject({ url: DOSSIER, headers: { 'x-api-key': key } });

async function statuses(key: string): Promise<number[]> {
  const responses = await Promise.all(apps.map((app) => ask(app, key)));
  return responses.map(({ statusCode }) => statusCode);
}

it('live and test keys give access to the same data', async () => {
  const app = await open();
  const [live, test] = await Promise.all([issue('live'), issue('test')]);
  const responses = [await ask(app, live.key), await ask(app, test.key)];
  expect(responses.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
  expect(responses[0]?.json()).toMatchObject({ cluster_id: CLUSTER, emergence: { state: 'present' } });
  expect(responses[1]?.headers.etag).toBe(responses[0]?.headers.etag);
});

it('a key in the Authorization header is missing, and the hint says where it belongs', async () => {
  const app = await open();
  const { key } = await issue();
  for (const authorization of [`Bearer ${key}`, `Basic ${btoa(key)}`]) {
    const response = await app.inject({ url: DOSSIER, headers: { authorization } });
    expect(response.statusCode).toBe(401);
    const { error, hint } = response.json();
    expect([error, hint]).toEqual(['missing_api_key', expect.stringContaining('X-API-Key: <key>')]);
    expect(response.body).not.toContain(key);
  }
});

it('all processes reject a key within five seconds of its revocation', async () => {
  await open();
  await open();
  const { id, key } = await issue();
  expect(await statuses(key)).toEqual([200, 200]);
  await revokeKey(pool, id);
  now += EFFECTIVE_MS - 1;
  expect(await statuses(key)).toEqual([401, 401]);
});

it('a rotated key works until the end of its grace period', async () => {
  await open();
  await open();
  const { id, key } = await issue();
  expect(await statuses(key)).toEqual([200, 200]);
  const graceMs = 3_600_000;
  const rotated = await transaction(pool, (client) => rotateKey(client, id, { graceMs }));
  now += EFFECTIVE_MS - 1;
  expect([await statuses(key), await statuses(rotated.key)]).toEqual([
    [200, 200],
    [200, 200],
  ]);
  now = rotated.oldExpiresAt.getTime() - 1;
  expect(await statuses(key)).toEqual([200, 200]);
  now += 1;
  expect([await statuses(key), await statuses(rotated.key)]).toEqual([
    [401, 401],
    [200, 200],
  ]);
});

it('a key rotated without a grace period is rejected within five seconds', async () => {
  await open();
  await open();
  const { id, key } = await issue();
  expect(await statuses(key)).toEqual([200, 200]);
  await transaction(pool, (client) => rotateKey(client, id, { graceMs: 0 }));
  now += EFFECTIVE_MS - 1;
  expect(await statuses(key)).toEqual([401, 401]);
});

it('a key has a time of last use after the next flush', async () => {
  const app = await open();
  const [used, rejected] = [await issue(), await issue()];
  await ask(app, used.key);
  await ask(app, `${rejected.key.slice(0, -1)}_`);
  const lastUse = async (id: string) =>
    (await listKeys(pool)).find((key) => key.id === id)?.lastUsedAt?.getTime() ?? null;
  // A request does not wait for the flush.
  expect(await lastUse(used.id)).toBeNull();
  const usedAt = now;
  now += 1_000;
  await app.close();
  expect([await lastUse(used.id), await lastUse(rejected.id)]).toEqual([usedAt, null]);
});

describe('log lines', () => {
  it('contain no key, whether requests or the process fail', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });
    const failing = Object.assign(Object.create(pool), {
      query: () => Promise.reject(new Error('the access pool is unavailable')),
    });
    const { key } = await issue();
    const broken = await open({ log, accessPool: failing });
    expect((await ask(broken, key)).statusCode).toBe(500);
    const app = await open({ log });
    await ask(app, key);
    for (const request of [
      { url: `${DOSSIER}?api_key=${key}` },
      { url: `/api/v2/artist/${key}`, headers: { 'x-api-key': key } },
      { url: '/api/v2/search?q=a', headers: { 'x-api-key': key, authorization: `Bearer ${key}` } },
      { url: `/api/v2/${key}`, headers: { 'x-api-key': `${key}x` } },
    ])
      await app.inject(request);
    // A failed write of the last use is logged too.
    await pool.query('alter table access.api_key rename to api_key_away');
    await app.close();
    await pool.query('alter table access.api_key_away rename to api_key');
    const text = lines.join('\n');
    expect(text).toContain('the access pool is unavailable');
    expect(text).toContain('cannot write the last use of keys');
    // Nothing of the secret, that is; the id is not part of it.
    expect(text).not.toContain(key.slice('ln_live_'.length + 10));
  });
});
