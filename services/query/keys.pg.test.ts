import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { transaction } from '../../db/transaction.ts';
import { artistProjection } from '../../projections/artist/project.ts';
import { registerSources } from '../../projections/registry.ts';
import { artistMomentum } from '../../projections/sources/seen/artist-momentum.ts';
import { fillMirror } from '../../test/fill-mirror.ts';
import { queryApp } from '../../test/query-app.ts';
import { CLUSTER, rowsOf } from '../../test/rows/source-rows.ts';
import { withDatabase } from '../../test/services/database.ts';
import { rebuild } from '../../workers/project/build-version.ts';
import { issueKey, listKeys, revokeKey, rotateKey } from '../access/keys.ts';
import type { QueryParts } from './parts.ts';

const { pool } = withDatabase();
const EFFECTIVE_MS = 5_000;
const DOSSIER = `/api/v2/artist/${CLUSTER}`;

const apps: FastifyInstance[] = [];
let now: number;

beforeAll(async () => {
  const registry = await registerSources(pool);
  await fillMirror(pool, registry, [rowsOf(artistMomentum, {})]);
  await rebuild(pool, artistProjection, registry);
});
beforeEach(() => {
  now = Date.now();
});
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
});

/** An app with a memory of keys of its own, as another process would have. */
async function open(changed: Partial<QueryParts> = {}): Promise<FastifyInstance> {
  const app = await queryApp(pool, { now: () => now, ...changed });
  apps.push(app);
  return app;
}

const issue = (environment: 'live' | 'test' = 'live', expiresAt: Date | null = null) =>
  issueKey(pool, { environment, label: 'a', tier: 'standard', expiresAt });

const ask = (app: FastifyInstance, key: string) =>
  app.inject({ url: DOSSIER, headers: { 'x-api-key': key } });

async function statuses(key: string): Promise<number[]> {
  const answers = await Promise.all(apps.map((app) => ask(app, key)));
  return answers.map(({ statusCode }) => statusCode);
}

it('open the same data, whether live or for tests', async () => {
  const app = await open();
  const [live, test] = await Promise.all([issue('live'), issue('test')]);
  const answers = [await ask(app, live.key), await ask(app, test.key)];
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
  expect(answers[0]?.json()).toMatchObject({ cluster_id: CLUSTER, emergence: { state: 'present' } });
  expect(answers[1]?.headers.etag).toBe(answers[0]?.headers.etag);
});

it('are refused by all processes within five seconds of their revocation', async () => {
  await open();
  await open();
  const { id, key } = await issue();
  expect(await statuses(key)).toEqual([200, 200]);
  await revokeKey(pool, id);
  now += EFFECTIVE_MS - 1;
  expect(await statuses(key)).toEqual([401, 401]);
});

it('work beside their successors until their time is up, everywhere', async () => {
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

it('that are rotated without a grace are refused within five seconds', async () => {
  await open();
  await open();
  const { id, key } = await issue();
  expect(await statuses(key)).toEqual([200, 200]);
  await transaction(pool, (client) => rotateKey(client, id, { graceMs: 0 }));
  now += EFFECTIVE_MS - 1;
  expect(await statuses(key)).toEqual([401, 401]);
});

it('are known to have been used, once the process writes it down', async () => {
  const app = await open();
  const [used, refused] = [await issue(), await issue()];
  await ask(app, used.key);
  await ask(app, `${refused.key.slice(0, -1)}_`);
  const lastUse = async (id: string) =>
    (await listKeys(pool)).find((key) => key.id === id)?.lastUsedAt?.getTime() ?? null;
  // A request waits for no such thing.
  expect(await lastUse(used.id)).toBeNull();
  const usedAt = now;
  now += 1_000;
  await app.close();
  expect([await lastUse(used.id), await lastUse(refused.id)]).toEqual([usedAt, null]);
});

describe('log lines', () => {
  it('hold no key, whatever becomes of the request or of the process', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });
    const failing = Object.assign(Object.create(pool), {
      query: () => Promise.reject(new Error('the access pool is away')),
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
    // What cannot be written down of its use is told too.
    await pool.query('alter table access.api_key rename to api_key_away');
    await app.close();
    await pool.query('alter table access.api_key_away rename to api_key');
    const text = lines.join('\n');
    expect(text).toContain('the access pool is away');
    expect(text).toContain('the last use of keys cannot be written down');
    // Of its secret, that is: the id is no part of it.
    expect(text).not.toContain(key.slice('ln_live_'.length + 10));
  });
});
