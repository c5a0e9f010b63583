import { FormatRegistry } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { closed } from '../../test/closed-schema.ts';
import { keyHeader, queryApp } from '../../test/query-app.ts';
import { withDatabase } from '../../test/services/database.ts';
import { issueKey } from '../access/keys.ts';
import type { QueryParts } from './parts.ts';
import { UsageBody } from './schemas/usage.ts';

const { pool } = withDatabase();
const NOW = Date.UTC(2026, 0, 1, 0, 0, 20);

const apps: FastifyInstance[] = [];
beforeAll(() => {
  FormatRegistry.Set('date-time', (text) => !Number.isNaN(Date.parse(text)));
});
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
});

async function open(changed: Partial<QueryParts> = {}): Promise<FastifyInstance> {
  const app = await queryApp(pool, {
    now: () => NOW,
    limits: { perKey: 100, perAddress: 5 },
    ...changed,
  });
  apps.push(app);
  return app;
}

it('says the limits of the key, what is left of them, its tier and its expiry', async () => {
  const app = await open();
  const expiresAt = new Date('2027-03-04T05:06:07Z');
  const { id, key } = await issueKey(pool, { environment: 'live', label: 'a', tier: 'trial', expiresAt });
  const headers = { 'x-api-key': key };
  await app.inject({ url: '/api/v2/tracks/resolve?title=a', headers });
  await app.inject({ url: '/api/v2/artist/nobody', headers });
  const answer = await app.inject({ url: '/api/v2/usage', headers });
  expect(answer.statusCode).toBe(200);
  expect([...Value.Errors(closed(UsageBody), answer.json())]).toEqual([]);
  const window = { window_seconds: 60, resets_at: '2026-01-01T00:01:00Z' };
  expect(answer.json()).toEqual({
    object: 'usage',
    key: { id, environment: 'live', tier: 'trial', expires_at: '2027-03-04T05:06:07Z' },
    limits: {
      requests: { ...window, limit: 10, remaining: 7 },
      track_resolve: { ...window, limit: 60, remaining: 59 },
      tier: { ...window, limit: 100, remaining: 97 },
      concurrency: { limit: 50, under_way: 1 },
    },
    generated_at: '2026-01-01T00:00:20Z',
  });
  expect(answer.headers).toMatchObject({
    'cache-control': 'no-store',
    'x-ratelimit-limit': '10',
    'x-ratelimit-remaining': '7',
    'ratelimit-policy': '"default";q=10;w=60, "tier";q=100;w=60, "concurrency";q=50;qu="concurrent-requests"',
    ratelimit: '"default";r=7;t=40',
  });
});

it('says null for a key that never expires, on each asking one less', async () => {
  const app = await open();
  const headers = await keyHeader(pool);
  for (const remaining of [99, 98]) {
    const body = (await app.inject({ url: '/api/v2/usage', headers })).json();
    expect(body.key).toMatchObject({ environment: 'test', tier: 'standard', expires_at: null });
    expect(body.limits.requests).toMatchObject({ limit: 100, remaining });
    expect(body.limits.track_resolve).toMatchObject({ limit: 60, remaining: 60 });
    expect(body.limits.tier).toBeNull();
    expect(body.limits.concurrency).toEqual({ limit: 500, under_way: 1 });
  }
});

it('says null where any number of requests may be under way', async () => {
  const app = await open();
  const headers = await keyHeader(pool, 'unlimited');
  const body = (await app.inject({ url: '/api/v2/usage', headers })).json();
  expect([...Value.Errors(closed(UsageBody), body)]).toEqual([]);
  expect(body.limits.concurrency).toEqual({ limit: null, under_way: 1 });
});

it('needs a key, and takes no parameter', async () => {
  const app = await open();
  expect((await app.inject('/api/v2/usage')).json().error).toBe('missing_api_key');
  const headers = await keyHeader(pool);
  expect((await app.inject({ url: '/api/v2/usage?key=a', headers })).json()).toMatchObject({
    error: 'invalid_query',
    param: 'key',
  });
});
