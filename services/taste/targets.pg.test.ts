import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RawAnswer, sendRaw } from '../../test/raw-http.ts';
import { withDatabase } from '../../test/services/database.ts';
import { connectedToken, TASTE_SECRET } from '../../test/taste-app.ts';
import { testContract } from '../../test/taste-contract.ts';
import { startTasteService, type TasteService } from './server.ts';

const { url: databaseUrl } = withDatabase();
const ORIGIN = 'https://app.example';
let service: TasteService;
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

async function send(first: string, headers: readonly string[] = ['Host: taste.example']): Promise<RawAnswer> {
  const head = [`${first} HTTP/1.1`, `Origin: ${ORIGIN}`, 'Connection: close', ...headers, '', ''];
  const [answer, ...more] = await sendRaw(Number(new URL(service.url).port), head.join('\r\n'));
  if (answer === undefined || more.length > 0) throw new Error('there was not one answer');
  return answer;
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
    const refused = await send(`GET ${target}`);
    expect([refused.status, refused.body]).toEqual([401, '{"error":{"code":"token_invalid"}}']);
    expect(refused.headers).toMatchObject(ME_HEADERS);
    const preflight = await send(`OPTIONS ${target}`);
    expect(preflight.status).toBe(204);
    expect(preflight.headers).toMatchObject({
      ...ME_HEADERS,
      'access-control-allow-methods': 'GET, HEAD, OPTIONS',
    });
  });
});

describe('what is not to be had has the headers of where it was looked for', () => {
  it.each([
    ['GET http://taste.example/api/v1/me/token', 405, 'method_not_allowed'],
    ['GET /api/v1/%6de/%zz', 400, 'malformed_request'],
    ['GET http://taste.example/api/v1/me/%ff', 400, 'malformed_request'],
    ['GET /api/v1/me', 404, 'not_found'],
    ['GET /api/v1/m%65?x', 404, 'not_found'],
    ['GET /api/v1/me/%2e%2e/me/profile', 404, 'not_found'],
  ])('%s', async (first, status, code) => {
    const answer = await send(first);
    expect([answer.status, JSON.parse(answer.body)]).toEqual([status, { error: { code } }]);
    expect(answer.headers).toMatchObject(ME_HEADERS);
  });

  it.each(['GET /api/v1/mee', 'GET /api%2fv1%2fme%2fprofile', 'GET /api/v1/me%2fprofile'])(
    '%s is of nobody',
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

describe('what HTTP itself would refuse', () => {
  it('is told in the words of this service where there is no host', async () => {
    const answer = await send('GET /api/v1/me/profile', [`Authorization: Bearer ${token}`]);
    expect([answer.status, answer.body]).toEqual([400, '{"error":{"code":"malformed_request"}}']);
    expect(answer.headers).toMatchObject(ME_HEADERS);
    const exchange = await send('POST /api/v1/me/token', []);
    expect(JSON.parse(exchange.body)).toEqual({ error: { code: 'malformed_request' } });
  });

  it('is passed over where it is an expectation', async () => {
    const answer = await send('GET /api/v1/me/profile', [...bearer(), 'Expect: foo']);
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject(ME_HEADERS);
  });

  it('is a tunnel', async () => {
    const answer = await send('CONNECT taste.example:443');
    expect([answer.status, answer.headers.allow, answer.body]).toEqual([
      405,
      'GET, HEAD, POST, DELETE, OPTIONS',
      '{"error":{"code":"method_not_allowed"}}',
    ]);
    expect(answer.headers['cache-control']).toBe('no-store');
  });
});
