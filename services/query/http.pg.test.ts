import { brotliDecompressSync } from 'node:zlib';
import { Value } from '@sinclair/typebox/value';
import type { LightMyRequestResponse } from 'fastify';
import { Pool } from 'pg';
import { describe, expect, it } from 'vitest';
import { listOperations } from '../../test/support/openapi/committed-document.ts';
import { readExamples } from '../../test/support/openapi/examples.ts';
import { BASE_URL } from '../../test/support/query/app.ts';
import { withWholeService } from '../../test/support/query/whole-service.ts';
import { ErrorBody, ProblemBody } from '../http/errors.ts';

const { app, open, key, send } = withWholeService();
const PROBLEM = { accept: 'application/problem+json' };
const BEACON = '/api/v2/search-events/observed';

interface Read {
  readonly operationId: string;
  readonly url: string;
  readonly isPublic: boolean;
  readonly declares304: boolean;
}

/** Every read, with a URL that returns 200. */
function reads(): Read[] {
  return listOperations()
    .filter(({ method }) => method === 'get')
    .map(({ path, operation: { operationId, security, responses } }) => ({
      operationId,
      url: readExamples().get(operationId)?.request.path ?? path,
      isPublic: security.length === 0,
      declares304: '304' in responses,
    }));
}

describe('every read', () => {
  it('has an ETag and returns 304, except for routes whose response always changes', async () => {
    const without: string[] = [];
    for (const { operationId, url, declares304 } of reads()) {
      const response = await send({ url });
      if (response.headers.etag === undefined) {
        // Absent entities are not stored, and their responses are short.
        expect(declares304 && response.json().present !== false, operationId).toBe(false);
        without.push(operationId);
        continue;
      }
      expect([response.statusCode, declares304], operationId).toEqual([200, true]);
      const known = { 'if-none-match': response.headers.etag };
      for (const method of ['GET', 'HEAD'] as const) {
        const again = await send({ method, url, headers: known });
        expect([again.statusCode, again.body], `${method} ${operationId}`).toEqual([304, '']);
        for (const name of ['etag', 'cache-control'])
          expect(again.headers[name], `${operationId} ${name}`).toBe(response.headers[name]);
        expect(again.headers['content-type'], operationId).toBeUndefined();
      }
    }
    expect(without.sort()).toEqual(['getHealth', 'getReadiness', 'getStatus', 'getUsage', 'search']);
  });

  it('declares which caches may store the response', async () => {
    for (const { operationId, url, isPublic } of reads()) {
      const { headers } = await send({ url });
      const cacheControl = String(headers['cache-control']);
      expect(cacheControl, operationId).toMatch(
        isPublic ? /^(?:public|private|no-store)\b/ : /^(?:private|no-store)\b/,
      );
    }
  });

  it('responds to HEAD with the same headers', async () => {
    for (const { operationId, url } of reads().filter(({ operationId }) => operationId !== 'getReadiness')) {
      const [got, head] = [await send({ url }), await send({ method: 'HEAD', url })];
      expect([head.statusCode, head.body], operationId).toEqual([got.statusCode, '']);
      for (const name of ['content-type', 'cache-control', 'etag', 'vary', 'content-encoding'])
        expect(head.headers[name], `${operationId} ${name}`).toBe(got.headers[name]);
      expect(Number(head.headers['content-length']), operationId).toBeGreaterThan(0);
    }
  });

  it('has headers that keep browsers from interpreting the response', async () => {
    for (const { operationId, url } of reads()) {
      const { headers } = await send({ url });
      expect(headers, operationId).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'cross-origin-resource-policy': 'cross-origin',
        'access-control-allow-origin': '*',
      });
      expect(headers, operationId).not.toHaveProperty('strict-transport-security');
      expect(headers, operationId).not.toHaveProperty('server');
      expect(headers, operationId).not.toHaveProperty('x-powered-by');
    }
  });

  it('responds to preflights, also for POST', async () => {
    for (const { path, methods } of app().listedRoutes.filter(({ path }) => path.startsWith('/api/v2'))) {
      const url = path.replaceAll(/\{\w+\}/g, 'a');
      const response = await app().inject({
        method: 'OPTIONS',
        url,
        headers: { origin: 'https://a.example' },
      });
      const allowed = [...methods, 'OPTIONS'].join(', ');
      expect([response.statusCode, response.body], path).toEqual([204, '']);
      expect(response.headers, path).toMatchObject({
        allow: allowed,
        'access-control-allow-methods': allowed,
        'access-control-allow-origin': '*',
        'access-control-max-age': '86400',
        'cache-control': 'no-store',
      });
    }
  });
});

it('sends text as brotli to clients that accept it, and dossiers as they are stored', async () => {
  const headers = { 'accept-encoding': 'gzip, deflate, br' };
  const text = await send({ url: '/api/v2/surface', headers });
  expect(text.headers['content-encoding']).toBe('br');
  expect(JSON.parse(brotliDecompressSync(text.rawPayload).toString()).object).toBe('surface.index');
  const dossier = await send({ url: '/api/v2/artist/mono', headers });
  expect([dossier.headers['content-encoding'], dossier.headers.vary]).toEqual(['gzip', 'Accept-Encoding']);
});

it.each([
  ['/api/v2/artsit/mono?fields=identity', '/api/v2/artist/mono?fields=identity'],
  ['/artist/mono', '/api/v2/artist/mono'],
  ['/v2/tracks/resolv?title=a', '/api/v2/tracks/resolve?title=a'],
  ['/api/v2/dossiers/label/warp/', '/api/v2/dossier/label/warp'],
  ['/api/v2/', '/api/v2'],
  ['/doc/api', '/docs/api'],
  ['/api/v2/nothing/like/it', undefined],
  ['/wp-login.php', undefined],
])('an unknown route %s means %s', async (url, meant) => {
  const { error, hint, next } = (await send({ url })).json();
  expect(error).toBe('not_found');
  expect(hint.includes('Did you mean')).toBe(meant !== undefined);
  expect(next).toBe(meant === undefined ? undefined : `${BASE_URL}${meant}`);
});

describe('browsers can read errors', () => {
  const READABLE = [
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
    'RateLimit',
    'RateLimit-Policy',
    'Retry-After',
    'ETag',
    'X-Request-Id',
  ];
  const expectReadable = ({ headers }: LightMyRequestResponse): void => {
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(String(headers['access-control-expose-headers']).split(', ')).toEqual(
      expect.arrayContaining(READABLE),
    );
    expect(headers['x-request-id']).toBeTruthy();
  };

  it.each([
    [400, '/api/v2/resolve', 'GET'],
    [400, '/api/v2/%E0%A4%A', 'GET'],
    [401, '/api/v2/usage?anonymous', 'GET'],
    [404, '/nowhere', 'GET'],
    [405, '/api/v2', 'DELETE'],
    [415, '/api/v2/resolve/batch', 'POST'],
  ] as const)('with %d', async (status, url, method) => {
    const headers = status === 401 ? { 'x-api-key': '' } : {};
    const rejected = await send({ method, url, headers, ...(method === 'POST' ? { payload: 'x' } : {}) });
    expect(rejected.statusCode).toBe(status);
    expectReadable(rejected);
  });

  it('with 429, 500 and 503', async () => {
    const limited = await open({ limits: { perKey: 1, perAddress: 1 } });
    await limited.inject('/api/v2');
    const rejected = await limited.inject('/api/v2');
    expect(rejected.statusCode).toBe(429);
    expectReadable(rejected);
    const broken = { query: () => Promise.reject(new Error('broken')) } as unknown as Pool;
    const failed = await (await open({ readPool: broken })).inject({
      url: '/api/v2/artist/mono',
      headers: key(),
    });
    expect(failed.statusCode).toBe(500);
    expectReadable(failed);
    const lost = new Pool({ connectionString: 'postgres://nobody@127.0.0.1:1/nothing' });
    const unavailable = await (await open({ readPool: lost })).inject({
      url: '/api/v2/artist/mono',
      headers: key(),
    });
    expect(unavailable.statusCode).toBe(503);
    expectReadable(unavailable);
    await lost.end();
  });
});

describe('HTTPS', () => {
  const ask = async (trustProxy: string | false, protocol: string, url = '/api/v2') =>
    (await (await open({ trustProxy })).inject({ url, headers: { 'x-forwarded-proto': protocol } })).headers[
      'strict-transport-security'
    ];

  it('is enforced by Strict-Transport-Security behind a trusted proxy', async () => {
    expect(await ask('127.0.0.1', 'https')).toBe('max-age=31536000');
    expect(await ask('127.0.0.1', 'https', '/nowhere')).toBe('max-age=31536000');
    expect(await ask('127.0.0.1', 'http')).toBeUndefined();
  });

  it('is not enforced by headers of untrusted clients', async () => {
    expect(await ask(false, 'https')).toBeUndefined();
    expect(await ask('192.0.2.1', 'https')).toBeUndefined();
  });
});

describe('problem details', () => {
  it('are sent to clients that prefer them, with all members of the envelope', async () => {
    const url = '/api/v2/artists?sort=age';
    const [plain, problem] = [await send({ url }), await send({ url, headers: PROBLEM })];
    expect([plain.headers['content-type'], problem.headers['content-type']]).toEqual([
      'application/json; charset=utf-8',
      'application/problem+json; charset=utf-8',
    ]);
    for (const { headers, statusCode } of [plain, problem])
      expect([statusCode, headers.vary]).toEqual([400, 'Accept']);
    const { message, doc_url, ...envelope } = plain.json();
    expect(problem.json()).toEqual({
      type: doc_url,
      title: 'Invalid query',
      status: 400,
      detail: message,
      instance: problem.headers['x-request-id'],
      ...envelope,
    });
    expect(envelope.details).toEqual([{ path: 'sort', message: 'must be one of discovery, reach' }]);
    expect([...Value.Errors({ ...ErrorBody, additionalProperties: false }, plain.json())]).toEqual([]);
    expect([...Value.Errors({ ...ProblemBody, additionalProperties: false }, problem.json())]).toEqual([]);
  });

  it('are sent for undecodable paths, unknown paths and wrong methods', async () => {
    for (const [method, url, error] of [
      ['GET', '/api/v2/%E0%A4%A', 'malformed_request'],
      ['GET', '/nowhere', 'not_found'],
      ['DELETE', '/api/v2', 'method_not_allowed'],
    ] as const) {
      const response = await app().inject({ method, url, headers: PROBLEM });
      expect(response.json(), url).toMatchObject({ type: `${BASE_URL}/docs/api#error-${error}`, error });
      expect(response.headers['content-type']).toBe('application/problem+json; charset=utf-8');
    }
  });

  it('contain no inner error text', async () => {
    const readPool = { query: () => Promise.reject(new Error('secret detail')) } as unknown as Pool;
    const failed = await (await open({ readPool })).inject({
      url: '/api/v2/artist/mono',
      headers: { ...key(), ...PROBLEM, 'x-request-id': 'find-me' },
    });
    expect(failed.json()).toMatchObject({ title: 'Internal error', status: 500, instance: 'find-me' });
    expect(failed.body).not.toContain('secret');
  });

  it('are not sent for beacons and successes', async () => {
    const headers = { ...PROBLEM, 'content-type': 'application/json' };
    const beacon = await app().inject({ method: 'POST', url: BEACON, headers, payload: '{}' });
    expect([beacon.statusCode, beacon.json()]).toEqual([401, { error: 'missing_token' }]);
    expect(beacon.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(beacon.headers.vary).toBeUndefined();
    const found = await app().inject({ url: '/api/v2', headers: PROBLEM });
    expect([found.statusCode, found.headers['content-type']]).toEqual([
      200,
      'application/json; charset=utf-8',
    ]);
  });
});
