import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RawResponse, sendRaw } from '../../test/support/http/raw-http.ts';
import { withDatabase } from '../../test/support/services/database.ts';
import { connectedToken, TASTE_SECRET } from '../../test/support/taste/app.ts';
import { testContract } from '../../test/support/taste/contract.ts';
import { type RunningTasteService, startTasteService } from './server.ts';

const { url: databaseUrl } = withDatabase();
const ORIGIN = 'https://app.example';
let service: RunningTasteService;
let token: string;

beforeAll(async () => {
  service = await startTasteService({
    databaseUrl,
    port: 0,
    secret: TASTE_SECRET,
    contract: testContract,
    log: pino({ level: 'silent' }),
  });
  ({ token } = await connectedToken(service.app));
});
afterAll(() => service.stop());

async function send(
  first: string,
  headers: readonly string[] = ['Host: taste.example'],
): Promise<RawResponse> {
  const head = [`${first} HTTP/1.1`, `Origin: ${ORIGIN}`, 'Connection: close', ...headers, '', ''];
  const [response, ...more] = await sendRaw(Number(new URL(service.url).port), head.join('\r\n'));
  if (response === undefined || more.length > 0) throw new Error('there was not one response');
  return response;
}

const bearer = () => ['Host: taste.example', `Authorization: Bearer ${token}`];

const ME_HEADERS = {
  'cache-control': 'no-store',
  vary: 'Origin',
  'access-control-allow-origin': ORIGIN,
  'x-content-type-options': 'nosniff',
};

describe('the profile', () => {
  it.each([
    '/api/v1/me/profile',
    '/api/v1/%6de/profile',
    '/%61pi/v1/m%65/%70rofile?x=%61',
    'http://taste.example/api/v1/me/profile',
    'https://other.example:8443/api/v1/%6De/profile',
  ])('has the same headers at %s', async (target) => {
    const read = await send(`GET ${target}`, bearer());
    expect(read.status).toBe(200);
    expect(read.headers).toMatchObject(ME_HEADERS);
    expect(JSON.parse(read.body)).toMatchObject({ connected_source_count: 1 });
    const rejected = await send(`GET ${target}`);
    expect([rejected.status, rejected.body]).toEqual([401, '{"error":{"code":"token_invalid"}}']);
    expect(rejected.headers).toMatchObject(ME_HEADERS);
    const preflight = await send(`OPTIONS ${target}`);
    expect(preflight.status).toBe(204);
    expect(preflight.headers).toMatchObject({
      ...ME_HEADERS,
      'access-control-allow-methods': 'GET, HEAD, OPTIONS',
    });
  });
});

describe('a rejected request has the headers of its path', () => {
  it.each([
    ['GET http://taste.example/api/v1/me/token', 405, 'method_not_allowed'],
    ['GET /api/v1/%6de/%zz', 400, 'malformed_request'],
    ['GET http://taste.example/api/v1/me/%ff', 400, 'malformed_request'],
    ['GET /api/v1/me', 404, 'not_found'],
    ['GET /api/v1/m%65?x', 404, 'not_found'],
    ['GET /api/v1/me/%2e%2e/me/profile', 404, 'not_found'],
  ])('%s', async (first, status, code) => {
    const response = await send(first);
    expect([response.status, JSON.parse(response.body)]).toEqual([status, { error: { code } }]);
    expect(response.headers).toMatchObject(ME_HEADERS);
  });

  it.each(['GET /api/v1/mee', 'GET /api%2fv1%2fme%2fprofile', 'GET /api/v1/me%2fprofile'])(
    '%s has no route',
    async (first) => {
      const { status, headers } = await send(first);
      expect([status, headers['cache-control'], headers['access-control-allow-origin']]).toEqual([
        404,
        'no-store',
        undefined,
      ]);
    },
  );

  it.each(['GET /conn%65ct', 'GET http://taste.example/connect', 'GET /connect/%ff'])(
    '%s is a page',
    async (first) => {
      const { status, headers } = await send(first);
      expect([status, headers['content-type'], headers['x-frame-options']]).toEqual([
        400,
        'text/html; charset=utf-8',
        'DENY',
      ]);
    },
  );
});

describe('a request that Node.js would reject itself', () => {
  it('without a host gets an error of this service', async () => {
    const response = await send('GET /api/v1/me/profile', [`Authorization: Bearer ${token}`]);
    expect([response.status, response.body]).toEqual([400, '{"error":{"code":"malformed_request"}}']);
    expect(response.headers).toMatchObject(ME_HEADERS);
    const exchange = await send('POST /api/v1/me/token', []);
    expect(JSON.parse(exchange.body)).toEqual({ error: { code: 'malformed_request' } });
  });

  it('with an unknown expectation is served', async () => {
    const response = await send('GET /api/v1/me/profile', [...bearer(), 'Expect: foo']);
    expect(response.status).toBe(200);
    expect(response.headers).toMatchObject(ME_HEADERS);
  });

  it('that opens a tunnel gets an error of this service', async () => {
    const response = await send('CONNECT taste.example:443');
    expect([response.status, response.headers.allow, response.body]).toEqual([
      405,
      'GET, HEAD, POST, DELETE, OPTIONS',
      '{"error":{"code":"method_not_allowed"}}',
    ]);
    expect(response.headers['cache-control']).toBe('no-store');
  });
});
