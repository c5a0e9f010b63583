import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { Pool } from 'pg';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { artistMomentum } from '../../projections/contracts/seen/artist-momentum.ts';
import { artistProjection } from '../../projections/models/artist/project.ts';
import { BASE_URL, keyHeader } from '../../test/support/query/app.ts';
import { withQueryService } from '../../test/support/query/service.ts';
import { CLUSTER, rowsOf } from '../../test/support/rows/source-rows.ts';
import { type ErrorCode, errorCatalogue } from '../http/errors.ts';

const { pool, url, open, key } = withQueryService({
  rows: [rowsOf(artistMomentum, {})],
  projections: [artistProjection],
});
const ROUTES = [
  '/api/v2',
  '/api/v2/resolve?q=mono',
  `/api/v2/artist/${CLUSTER}`,
  '/api/v2/dossier/artist/mono',
] as const;
const KEYED = ROUTES.slice(1);

/** Checks what every error must contain. */
function expectError(response: LightMyRequestResponse, code: ErrorCode): Record<string, unknown> {
  const body = response.json();
  expect(body).toMatchObject({
    error: code,
    message: expect.stringMatching(/\.$/),
    hint: expect.stringMatching(/\S/),
    doc_url: `${BASE_URL}/docs/api#error-${code}`,
  });
  expect(response.statusCode).toBe(errorCatalogue[code].status);
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(response.headers['access-control-allow-origin']).toBe('*');
  expect(response.headers['x-request-id']).toBeTruthy();
  expect(response.headers['cache-control']).toBe('no-store');
  expect(response.headers.etag).toBeUndefined();
  return body;
}

describe('the root index', () => {
  it('returns the recipe and every route, without a key', async () => {
    const app = await open();
    const response = await app.inject('/api/v2');
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({
      object: 'root',
      api_version: 'v2',
      cold_start: [
        { step: 1, call: expect.stringContaining('/api/v2/resolve'), take: 'cluster_id' },
        { step: 2, call: 'GET /api/v2/artist/{cluster_id}' },
      ],
      endpoints: [
        { path: '/api/v2', methods: ['GET', 'HEAD'], public: true },
        { path: '/api/v2/openapi.json', public: true },
        { path: '/api/v2/resolve', public: false },
        { path: '/api/v2/resolve/batch', methods: ['POST'], public: false },
        { path: '/api/v2/artist/{key}', public: false },
        { path: '/api/v2/dossier/artist/{slug}', public: false },
        { path: '/api/v2/artists', public: false },
        { path: '/api/v2/artist/{key}/storefront/{item}', public: false },
        { path: '/api/v2/artist/{key}/master/{id}', public: false },
        { path: '/api/v2/label/{key}', public: false },
        { path: '/api/v2/dossier/label/{slug}', public: false },
        { path: '/api/v2/dossier/festival/{slug}', public: false },
        { path: '/api/v2/dossier/manifest', public: false },
        { path: '/api/v2/search', public: false },
        { path: '/api/v2/facets', public: false },
        { path: '/api/v2/tracks', methods: ['GET', 'HEAD'], public: false },
        { path: '/api/v2/tracks/resolve', methods: ['GET', 'HEAD', 'POST'], public: false },
        { path: '/api/v2/aura', public: false },
        { path: '/api/v2/aura/{cluster}', public: false },
        { path: '/api/v2/tastemakers', public: false },
        { path: '/api/v2/tastemakers/ones-to-watch', public: false },
        { path: '/api/v2/breakouts', public: false },
        { path: '/api/v2/surface', public: false },
        { path: '/api/v2/surface/{name}', public: false },
        { path: '/api/v2/semantics/dictionary', public: false },
        { path: '/api/v2/semantics/dictionary.json', public: false },
        { path: '/api/v2/preview/artist', public: true },
        { path: '/api/v2/search-events/observed', methods: ['POST'], public: true },
        { path: '/api/v2/search-events/refined', methods: ['POST'], public: true },
        { path: '/api/v2/usage', public: false },
        { path: '/status', public: true },
        { path: '/health', public: true },
        { path: '/ready', public: true },
      ],
      _links: { self: `${BASE_URL}/api/v2` },
    });
  });
});

describe('methods', () => {
  it('include HEAD and OPTIONS on every route', async () => {
    const app = await open();
    for (const path of ROUTES.filter((route) => !route.includes('resolve'))) {
      const head = await app.inject({ method: 'HEAD', url: path, headers: key() });
      expect(head.statusCode, path).toBe(200);
      expect(head.rawPayload).toHaveLength(0);
    }
    for (const path of ROUTES) {
      // A preflight never carries a key.
      const options = await app.inject({
        method: 'OPTIONS',
        url: path,
        headers: { origin: 'https://a.example' },
      });
      expect(options.statusCode, path).toBe(204);
      expect(options.headers).toMatchObject({
        allow: 'GET, HEAD, OPTIONS',
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, HEAD, OPTIONS',
        'access-control-allow-headers': expect.stringContaining('X-API-Key'),
      });
    }
  });

  it('other than these are rejected before their bodies are read', async () => {
    const app = await open();
    for (const path of ROUTES) {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'] as const) {
        const request = { method, url: path, headers: { 'content-type': 'application/json' }, payload: '{' };
        const rejected = await app.inject(request as InjectOptions);
        expectError(rejected, 'method_not_allowed');
        expect(rejected.headers.allow).toBe('GET, HEAD, OPTIONS');
      }
    }
  });

  it('of any kind get 404 on an unknown route', async () => {
    const app = await open();
    for (const path of [
      '/api/v1',
      '/api/v2/',
      '/api/v2/nope',
      '/api/v2/artist',
      '/api/v2/artist/a/b',
      '/api/v2x',
    ]) {
      for (const method of ['GET', 'POST', 'OPTIONS'] as const)
        expectError(await app.inject({ method, url: path }), 'not_found');
    }
  });

  it('get malformed_request on a path that cannot be decoded', async () => {
    const app = await open();
    expectError(await app.inject('/api/v2/%E0%A4%A'), 'malformed_request');
  });
});

describe('bodies', () => {
  it.each([
    ['invalid_json', 'application/json', '{"a":'],
    ['invalid_json', 'application/json', ''],
    ['unsupported_media_type', 'application/xml', '<a/>'],
    ['payload_too_large', 'application/json', JSON.stringify('a'.repeat(300 * 1024))],
    ['invalid_query', 'application/json', '{}'],
    ['invalid_json', 'application/json', '{"__proto__":{}}'],
  ] as const)('%s', async (code, type, payload) => {
    const app = await open();
    const schema = { body: { type: 'object', required: ['a'] } };
    app.post('/api/v2/echo', { schema, config: { isPublic: true, errors: ['invalid_query'] } }, () => ({}));
    const headers = { 'content-type': type };
    const body = expectError(
      await app.inject({ method: 'POST', url: '/api/v2/echo', headers, payload }),
      code,
    );
    if (code === 'invalid_query') expect(body.details).toEqual([{ path: 'a', message: 'is required' }]);
  });
});

describe('request ids', () => {
  it('are returned if valid, else replaced', async () => {
    const app = await open();
    const idOf = async (id: string): Promise<unknown> =>
      (await app.inject({ url: '/api/v2', headers: { 'x-request-id': id } })).headers['x-request-id'];
    for (const id of ['a', 'A-b_c.9', 'x'.repeat(128)]) expect(await idOf(id)).toBe(id);
    for (const id of ['', 'x'.repeat(129), 'a b', 'ä', 'a"', 'a$b'])
      expect(await idOf(id)).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('keys', () => {
  it('are required on every route that is not public', async () => {
    const app = await open();
    for (const path of KEYED) {
      for (const headers of [{}, { 'x-api-key': '' }]) {
        const rejected = await app.inject({ url: path, headers });
        expectError(rejected, 'missing_api_key');
        expect(rejected.headers['www-authenticate']).toContain('X-API-Key');
      }
    }
  });

  it('are rejected with the same response, whatever is wrong with them', async () => {
    const app = await open();
    const revoked = (await keyHeader(pool))['x-api-key'];
    const expired = (await keyHeader(pool))['x-api-key'];
    const gone = (await keyHeader(pool))['x-api-key'];
    const idOf = (text: string): string => text.slice('ln_test_'.length, 'ln_test_'.length + 10);
    await pool.query('update access.api_key set revoked_at = now() where id = $1', [idOf(revoked)]);
    await pool.query(`update access.api_key set expires_at = now() - interval '1 s' where id = $1`, [
      idOf(expired),
    ]);
    await pool.query('delete from access.api_key where id = $1', [idOf(gone)]);
    const malformed = `${key()['x-api-key']}x`;
    const bodies = new Set<string>();
    for (const text of [revoked, expired, gone, malformed, 'ä', 'x'.repeat(5_000)]) {
      const rejected = await app.inject({ url: '/api/v2/artist/mono', headers: { 'x-api-key': text } });
      expectError(rejected, 'invalid_api_key');
      expect(rejected.headers['www-authenticate']).toContain('X-API-Key');
      expect(rejected.headers['x-ratelimit-limit']).toBeUndefined();
      bodies.add(rejected.body);
    }
    expect(bodies.size).toBe(1);
  });

  it('appear in no log line', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });
    const broken = { query: () => Promise.reject(new Error('broken')) } as unknown as Pool;
    const app = await open({ log, readPool: broken });
    const text = key()['x-api-key'];
    await app.inject({ url: `/api/v2/artist/mono?api_key=${text}`, headers: key() });
    expectError(await app.inject({ url: '/api/v2/artist/mono', headers: key() }), 'internal_error');
    expect(lines.join()).toContain('a request failed unexpectedly');
    expect(lines.join()).not.toContain(text.slice(-20));
  });
});

describe('rate limits', () => {
  it('are reported on each response, including errors and 304', async () => {
    const now = Date.UTC(2026, 0, 1, 0, 0, 20);
    const app = await open({ limits: { perKey: 10, perAddress: 5 }, now: () => now });
    const { headers } = await app.inject({ url: '/api/v2/artist/mono', headers: key() });
    const responses = [
      await app.inject({
        url: '/api/v2/artist/mono',
        headers: { ...key(), 'if-none-match': String(headers.etag) },
      }),
      await app.inject({ url: '/api/v2/artist/mono?fields=nope', headers: key() }),
      await app.inject({ method: 'HEAD', url: '/api/v2/artist/mono', headers: key() }),
    ];
    expect(responses.map((response) => response.statusCode)).toEqual([304, 400, 200]);
    expect(
      [headers, ...responses.map((response) => response.headers)].map(
        (given) => given['x-ratelimit-remaining'],
      ),
    ).toEqual(['9', '8', '7', '6'].map(String));
    for (const response of responses) {
      expect(response.headers).toMatchObject({
        'x-ratelimit-limit': '10',
        'x-ratelimit-reset': String(Date.UTC(2026, 0, 1, 0, 1) / 1000),
        'access-control-expose-headers': expect.stringContaining('X-RateLimit-Remaining'),
      });
    }
  });

  it('reject a key beyond its limit until the window ends, and no other key', async () => {
    let now = Date.UTC(2026, 0, 1, 0, 0, 20, 500);
    const app = await open({ limits: { perKey: 2, perAddress: 5 }, now: () => now });
    const ask = (headers = key()) => app.inject({ url: '/api/v2/artist/mono', headers });
    await ask();
    expect((await ask()).headers['x-ratelimit-remaining']).toBe('0');
    const rejected = await ask();
    expect(expectError(rejected, 'rate_limited').retry_after_seconds).toBe(40);
    expect(rejected.headers).toMatchObject({
      'retry-after': '40',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-limit': '2',
    });
    expect((await ask(await keyHeader(pool))).statusCode).toBe(200);
    now += 40_000;
    expect((await ask()).statusCode).toBe(200);
  });

  it('differ by tier', async () => {
    const app = await open();
    const limitOf = async (tier: string): Promise<unknown> =>
      (await app.inject({ url: '/api/v2/artist/mono', headers: await keyHeader(pool, tier) })).headers[
        'x-ratelimit-limit'
      ];
    expect([await limitOf('standard'), await limitOf('trial'), await limitOf('some other')]).toEqual([
      '60000',
      '6000',
      '60000',
    ]);
  });

  it('count public routes by address', async () => {
    const app = await open({ limits: { perKey: 10, perAddress: 2 }, trustProxy: '127.0.0.1' });
    const ask = (address: string) => app.inject({ url: '/api/v2', headers: { 'x-forwarded-for': address } });
    await ask('192.0.2.1');
    expect((await ask('192.0.2.1')).headers['x-ratelimit-remaining']).toBe('0');
    expectError(await ask('192.0.2.1'), 'rate_limited');
    expect((await ask('192.0.2.2')).statusCode).toBe(200);
  });

  it('count failed authentications by address, without affecting valid keys', async () => {
    const app = await open({ limits: { perKey: 10, perAddress: 2 } });
    const ask = (headers: Record<string, string>) => app.inject({ url: '/api/v2/artist/mono', headers });
    expect((await ask(key())).statusCode).toBe(200);
    expectError(await ask({}), 'missing_api_key');
    expectError(await ask({ 'x-api-key': 'nonsense' }), 'invalid_api_key');
    const rejected = await ask({ 'x-api-key': 'nonsense' });
    expect(expectError(rejected, 'rate_limited').retry_after_seconds).toBeGreaterThanOrEqual(1);
    // They affect neither a key in use nor a new one.
    expect((await ask(key())).statusCode).toBe(200);
    expect((await ask(await keyHeader(pool))).statusCode).toBe(200);
  });
});

describe('the database', () => {
  const DOSSIER = { url: '/api/v2/artist/mono' };

  it('returns 503 with Retry-After while every connection is busy', async () => {
    const readPool = new Pool({ connectionString: url, max: 1 });
    const busy = await readPool.connect();
    // Set after the first connection, which may take longer.
    readPool.options.connectionTimeoutMillis = 50;
    try {
      const app = await open({ readPool });
      for (const path of ['/api/v2/artist/mono', '/api/v2/resolve?q=a']) {
        const rejected = await app.inject({ url: path, headers: key() });
        expect(expectError(rejected, 'pool_exhausted').retry_after_seconds).toBe(5);
        expect(rejected.headers['retry-after']).toBe('5');
      }
    } finally {
      busy.release();
      await readPool.end();
    }
  });

  it('returns 503 if unreachable, for dossiers and for keys', async () => {
    const lost = new Pool({ connectionString: 'postgres://nobody@127.0.0.1:1/nothing' });
    expectError(
      await (await open({ readPool: lost })).inject({ ...DOSSIER, headers: key() }),
      'database_unavailable',
    );
    expectError(
      await (await open({ accessPool: lost })).inject({ ...DOSSIER, headers: key() }),
      'database_unavailable',
    );
    await lost.end();
  });

  it('returns 504 if a statement takes too long', async () => {
    const readPool = new Pool({ connectionString: url, statement_timeout: 50 });
    const holder = await pool.connect();
    try {
      const { rows } = await pool.query<{ id: number }>(
        `select id from projection.version where projection = 'artist'`,
      );
      await holder.query(`begin; lock table read.artist_${rows[0]?.id} in access exclusive mode`);
      const app = await open({ readPool });
      expectError(
        await app.inject({ url: `/api/v2/artist/${CLUSTER}`, headers: key() }),
        'deadline_exceeded',
      );
    } finally {
      await holder.query('rollback');
      holder.release();
      await readPool.end();
    }
  });

  it('returns 504 at the deadline if the route does not respond', async () => {
    const app = await open();
    app.get('/api/v2/never', { config: { isPublic: true }, handlerTimeout: 20 }, () => new Promise(() => {}));
    expectError(await app.inject('/api/v2/never'), 'deadline_exceeded');
  });

  it('returns 503 before the read model exists', async () => {
    // No identity version is promoted in this file.
    const rejected = await (await open()).inject({ url: '/api/v2/resolve?q=a', headers: key() });
    expect(expectError(rejected, 'not_ready').retry_after_seconds).toBe(5);
  });

  it('returns 500 for other failures, with the request id and no inner text', async () => {
    const readPool = { query: () => Promise.reject(new Error('secret detail')) } as unknown as Pool;
    const headers = { ...key(), 'x-request-id': 'find-me' };
    const failed = await (await open({ readPool })).inject({ ...DOSSIER, headers });
    expect(expectError(failed, 'internal_error').request_id).toBe('find-me');
    expect(failed.headers['x-request-id']).toBe('find-me');
    expect(failed.body).not.toContain('secret');
  });
});
