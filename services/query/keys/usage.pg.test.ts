import { Value } from '@sinclair/typebox/value';
import { expect, it } from 'vitest';
import { closed } from '../../../test/support/http/closed-schema.ts';
import { keyHeader } from '../../../test/support/query/app.ts';
import { withQueryService } from '../../../test/support/query/service.ts';
import { issueKey } from './keys.ts';
import { UsageBody } from './usage.ts';

const NOW = Date.UTC(2026, 0, 1, 0, 0, 20);
const { pool, open } = withQueryService({
  parts: { now: () => NOW, limits: { perKey: 100, perAddress: 5 } },
});

it('returns the limits of the key, what is left of them, its tier and its expiry', async () => {
  const app = await open();
  const expiresAt = new Date('2027-03-04T05:06:07Z');
  const { id, key } = await issueKey(pool, { environment: 'live', label: 'a', tier: 'trial', expiresAt });
  const headers = { 'x-api-key': key };
  await app.inject({ url: '/api/v2/tracks/resolve?title=a', headers });
  await app.inject({ url: '/api/v2/artist/nobody', headers });
  const response = await app.inject({ url: '/api/v2/usage', headers });
  expect(response.statusCode).toBe(200);
  expect([...Value.Errors(closed(UsageBody), response.json())]).toEqual([]);
  const window = { window_seconds: 60, resets_at: '2026-01-01T00:01:00Z' };
  expect(response.json()).toEqual({
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
  expect(response.headers).toMatchObject({
    'cache-control': 'no-store',
    'x-ratelimit-limit': '10',
    'x-ratelimit-remaining': '7',
    'ratelimit-policy': '"default";q=10;w=60, "tier";q=100;w=60, "concurrency";q=50;qu="concurrent-requests"',
    ratelimit: '"default";r=7;t=40',
  });
});

it('returns a null expiry for a key that never expires, and counts itself', async () => {
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

it('returns null without a concurrency limit', async () => {
  const app = await open();
  const headers = await keyHeader(pool, 'unlimited');
  const body = (await app.inject({ url: '/api/v2/usage', headers })).json();
  expect([...Value.Errors(closed(UsageBody), body)]).toEqual([]);
  expect(body.limits.concurrency).toEqual({ limit: null, under_way: 1 });
});

it('needs an API key', async () => {
  const app = await open();
  expect((await app.inject('/api/v2/usage')).json().error).toBe('missing_api_key');
});
