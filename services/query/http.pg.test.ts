import { brotliDecompressSync } from 'node:zlib';
import { Value } from '@sinclair/typebox/value';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { Pool } from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { BASE_URL, queryApp } from '../../test/query-app.ts';
import { withWholeService } from '../../test/whole-service.ts';
import { readExamples } from './docs/examples.ts';
import { ErrorBody, ProblemBody } from './errors.ts';
import type { QueryParts } from './parts.ts';

const { pool, app, key, send } = withWholeService();
const PROBLEM = { accept: 'application/problem+json' };
const BEACON = '/api/v2/search-events/observed';

const others: FastifyInstance[] = [];
afterEach(async () => {
  for (const other of others.splice(0)) await other.close();
});
async function open(changed: Partial<QueryParts>): Promise<FastifyInstance> {
  const other = await queryApp(pool, changed);
  others.push(other);
  return other;
}

interface Read {
  readonly operationId: string;
  readonly url: string;
  readonly isPublic: boolean;
  readonly declares304: boolean;
}

/** Every read, with an address that it answers with status 200. */
function reads(): Read[] {
  return app()
    .operations.filter(({ method }) => method === 'get')
    .map(({ operationId, path, isPublic, responses }) => ({
      operationId,
      url: readExamples().get(operationId)?.request.path ?? path,
      isPublic,
      declares304: '304' in responses,
    }));
}

describe('every read', () => {
  it('has a validator that saves the body, but for what is never the same twice', async () => {
    const without: string[] = [];
    for (const { operationId, url, declares304 } of reads()) {
      const answer = await send({ url });
      if (answer.headers.etag === undefined) {
        // What an artist has none of is not stored, and so short that nothing would be saved.
        expect(declares304 && answer.json().present !== false, operationId).toBe(false);
        without.push(operationId);
        continue;
      }
      expect([answer.statusCode, declares304], operationId).toEqual([200, true]);
      const held = { 'if-none-match': answer.headers.etag };
      for (const method of ['GET', 'HEAD'] as const) {
        const again = await send({ method, url, headers: held });
        expect([again.statusCode, again.body], `${method} ${operationId}`).toEqual([304, '']);
        for (const name of ['etag', 'cache-control'])
          expect(again.headers[name], `${operationId} ${name}`).toBe(answer.headers[name]);
        expect(again.headers['content-type'], operationId).toBeUndefined();
      }
    }
    expect(without.sort()).toEqual(['getHealth', 'getReadiness', 'getStatus', 'getUsage', 'search']);
  });

  it('says who may keep the answer', async () => {
    for (const { operationId, url, isPublic } of reads()) {
      const { headers } = await send({ url });
      const kept = String(headers['cache-control']);
      expect(kept, operationId).toMatch(
        isPublic ? /^(?:public|private|no-store)\b/ : /^(?:private|no-store)\b/,
      );
    }
  });

  it('is answered to HEAD with the same headers', async () => {
    for (const { operationId, url } of reads().filter(({ operationId }) => operationId !== 'getReadiness')) {
      const [got, head] = [await send({ url }), await send({ method: 'HEAD', url })];
      expect([head.statusCode, head.body], operationId).toEqual([got.statusCode, '']);
      for (const name of ['content-type', 'cache-control', 'etag', 'vary', 'content-encoding'])
        expect(head.headers[name], `${operationId} ${name}`).toBe(got.headers[name]);
      expect(Number(head.headers['content-length']), operationId).toBeGreaterThan(0);
    }
  });

  it('keeps browsers from making more of the answer than it is', async () => {
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

  it('is answered to a preflight, of a POST as well', async () => {
    for (const { path, methods } of app().listedRoutes.filter(({ path }) => path.startsWith('/api/v2'))) {
      const url = path.replaceAll(/\{\w+\}/g, 'a');
      const answer = await app().inject({ method: 'OPTIONS', url, headers: { origin: 'https://a.example' } });
      const allowed = [...methods, 'OPTIONS'].join(', ');
      expect([answer.statusCode, answer.body], path).toEqual([204, '']);
      expect(answer.headers, path).toMatchObject({
        allow: allowed,
        'access-control-allow-methods': allowed,
        'access-control-allow-origin': '*',
        'access-control-max-age': '86400',
        'cache-control': 'no-store',
      });
    }
  });
});

it('text goes out as brotli to who takes it, and dossiers as they are stored', async () => {
  const headers = { 'accept-encoding': 'gzip, deflate, br' };
  const text = await send({ url: '/api/v2/surface', headers });
  expect(text.headers['content-encoding']).toBe('br');
  expect(JSON.parse(brotliDecompressSync(text.rawPayload).toString()).object).toBe('surface.index');
  const dossier = await send({ url: '/api/v2/artist/mono', headers });
  expect([dossier.headers['content-encoding'], dossier.headers.vary]).toEqual(['gzip', 'Accept-Encoding']);
});

describe('browsers see why they are refused', () => {
  const SHOWN = [
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
    'RateLimit',
    'RateLimit-Policy',
    'Retry-After',
    'ETag',
    'X-Request-Id',
  ];
  const expectShown = ({ headers }: LightMyRequestResponse): void => {
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(String(headers['access-control-expose-headers']).split(', ')).toEqual(
      expect.arrayContaining(SHOWN),
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
    const refused = await send({ method, url, headers, ...(method === 'POST' ? { payload: 'x' } : {}) });
    expect(refused.statusCode).toBe(status);
    expectShown(refused);
  });

  it('with 429, 500 and 503', async () => {
    const limited = await open({ limits: { perKey: 1, perAddress: 1 } });
    await limited.inject('/api/v2');
    const refused = await limited.inject('/api/v2');
    expect(refused.statusCode).toBe(429);
    expectShown(refused);
    const broken = { query: () => Promise.reject(new Error('broken')) } as unknown as Pool;
    const failed = await (await open({ readPool: broken })).inject({
      url: '/api/v2/artist/mono',
      headers: key(),
    });
    expect(failed.statusCode).toBe(500);
    expectShown(failed);
    const lost = new Pool({ connectionString: 'postgres://nobody@127.0.0.1:1/nothing' });
    const away = await (await open({ readPool: lost })).inject({
      url: '/api/v2/artist/mono',
      headers: key(),
    });
    expect(away.statusCode).toBe(503);
    expectShown(away);
    await lost.end();
  });
});

describe('by https', () => {
  const ask = async (trustProxy: string | false, protocol: string, url = '/api/v2') =>
    (await (await open({ trustProxy })).inject({ url, headers: { 'x-forwarded-proto': protocol } })).headers[
      'strict-transport-security'
    ];

  it('behind a proxy that is believed, browsers are told to stay with it', async () => {
    expect(await ask('127.0.0.1', 'https')).toBe('max-age=31536000');
    expect(await ask('127.0.0.1', 'https', '/nowhere')).toBe('max-age=31536000');
    expect(await ask('127.0.0.1', 'http')).toBeUndefined();
  });

  it('is what nobody else can make believe', async () => {
    expect(await ask(false, 'https')).toBeUndefined();
    expect(await ask('192.0.2.1', 'https')).toBeUndefined();
  });
});

describe('problem details', () => {
  it('are for who prefers them, with all that the envelope says', async () => {
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

  it('are given for a path that cannot be decoded, an unknown one and a wrong method', async () => {
    for (const [method, url, error] of [
      ['GET', '/api/v2/%E0%A4%A', 'malformed_request'],
      ['GET', '/nowhere', 'not_found'],
      ['DELETE', '/api/v2', 'method_not_allowed'],
    ] as const) {
      const answer = await app().inject({ method, url, headers: PROBLEM });
      expect(answer.json(), url).toMatchObject({ type: `${BASE_URL}/docs/api#error-${error}`, error });
      expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8');
    }
  });

  it('tell nothing of what fails inside', async () => {
    const readPool = { query: () => Promise.reject(new Error('secret detail')) } as unknown as Pool;
    const failed = await (await open({ readPool })).inject({
      url: '/api/v2/artist/mono',
      headers: { ...key(), ...PROBLEM, 'x-request-id': 'find-me' },
    });
    expect(failed.json()).toMatchObject({ title: 'Internal error', status: 500, instance: 'find-me' });
    expect(failed.body).not.toContain('secret');
  });

  it('are not what beacons and successes are', async () => {
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
