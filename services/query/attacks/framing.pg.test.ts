import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRaw, type RawResponse, sendRaw } from '../../../test/support/http/raw-http.ts';
import { BASE_URL, queryApp } from '../../../test/support/query/app.ts';
import { withQueryService } from '../../../test/support/query/service.ts';
import { type ErrorCode, errorCatalogue } from '../../http/errors.ts';

const service = withQueryService({ parts: { trustProxy: '127.0.0.1' } });
const HOST = 'Host: api.example';
let port: number;
let key: string;

beforeAll(async () => {
  const app = service.app();
  await app.listen({ host: '127.0.0.1', port: 0 });
  ({ port } = app.server.address() as AddressInfo);
  key = `X-API-Key: ${service.key()['x-api-key']}`;
});

const message = (start: string, headers: readonly string[], body = ''): string =>
  `${[start, ...headers, '', ''].join('\r\n')}${body}`;

/** The only response to a request, on a connection that closes after it. */
async function responseTo(start: string, headers: readonly string[], body = ''): Promise<RawResponse> {
  const responses = await sendRaw(port, message(start, [...headers, 'Connection: close'], body));
  expect(responses).toHaveLength(1);
  return responses[0] as RawResponse;
}

function expectRejected(response: RawResponse, code: ErrorCode): void {
  expect(response.status, response.body).toBe(errorCatalogue[code].status);
  expect(JSON.parse(response.body)).toMatchObject({
    error: code,
    doc_url: `${BASE_URL}/docs/api#error-${code}`,
  });
  expect(response.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'access-control-allow-origin': '*',
    'x-content-type-options': 'nosniff',
    'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
}

describe('a request with ambiguous framing', () => {
  const POST = 'POST /api/v2/resolve/batch HTTP/1.1';
  const SMUGGLED = `0\r\n\r\nGET /api/v2 HTTP/1.1\r\n${HOST}\r\n\r\n`;

  it.each([
    ['two lengths', ['Content-Length: 5', 'Content-Length: 6']],
    ['a length twice', ['Content-Length: 5', 'Content-Length: 5']],
    ['a list of lengths', ['Content-Length: 5, 5']],
    ['a length with a sign', ['Content-Length: +5']],
    ['a length below zero', ['Content-Length: -5']],
    ['a length in hex', ['Content-Length: 0x5']],
    ['a length beside chunks', ['Content-Length: 5', 'Transfer-Encoding: chunked']],
    ['chunks beside a length', ['Transfer-Encoding: chunked', 'Content-Length: 5']],
    ['chunks that are not the last coding', ['Transfer-Encoding: chunked, identity']],
    ['a coding that is none', ['Transfer-Encoding: xchunked']],
    ['a blank before a colon', ['Content-Length : 5']],
    ['a NUL in a header', ['X-Odd: a\0b']],
    ['a line break in a header', ['X-Odd: a\rb']],
  ])('is rejected, and nothing after it is read: %s', async (_name, headers) => {
    const responses = await sendRaw(port, message(POST, [HOST, key, ...headers], SMUGGLED));
    expect(responses).toHaveLength(1);
    expectRejected(responses[0] as RawResponse, 'malformed_request');
    expect(responses[0]?.headers.connection).toBe('close');
  });

  it('with malformed chunks is rejected', async () => {
    const headers = [HOST, key, 'Content-Type: application/json', 'Transfer-Encoding: chunked'];
    const rejected = await responseTo(POST, headers, 'zz\r\n{}\r\n0\r\n\r\n');
    expectRejected(rejected, 'malformed_request');
  });

  it('with an unknown method or version is rejected', async () => {
    for (const start of ['NONSENSE / HTTP/1.1', 'get /api/v2 HTTP/1.1', 'GET /api/v2 HTTP/9.9'])
      expectRejected(await responseTo(start, [HOST]), 'malformed_request');
  });
});

describe('the host', () => {
  it('is required in HTTP/1.1', async () => {
    expectRejected(await responseTo('GET /api/v2 HTTP/1.1', []), 'malformed_request');
    expectRejected(await responseTo('GET /nowhere HTTP/1.1', []), 'malformed_request');
    expect((await responseTo('GET /api/v2 HTTP/1.0', [])).status).toBe(200);
  });

  it('must be one valid host', async () => {
    for (const hosts of [[HOST, 'Host: evil.example'], [HOST, HOST], ['Host: a b'], ['Host: a/<x>']])
      expectRejected(await responseTo('GET /api/v2 HTTP/1.1', hosts), 'malformed_request');
    for (const host of ['api.example:8080', '127.0.0.1', '[::1]:8080', 'xn--mnchen-3ya.example', ''])
      expect((await responseTo('GET /api/v2 HTTP/1.1', [`Host: ${host}`])).status, host).toBe(200);
  });

  it('that a client forges appears in no response', async () => {
    const made = [
      'Host: evil.example',
      'X-Forwarded-Host: evil.example',
      'X-Forwarded-Proto: evil',
      'Forwarded: host=evil.example;proto=https',
      'X-Host: evil.example',
      'X-Original-URL: /evil.example',
      'X-Rewrite-URL: /evil.example',
    ];
    for (const path of ['/api/v2', '/docs', '/nowhere', '/api/v2/artist/mbid:x', '/api/v1/evil']) {
      const own = await responseTo(`GET ${path} HTTP/1.1`, [HOST, key]);
      const response = await responseTo(`GET ${path} HTTP/1.1`, [...made, key]);
      expect(response.status, path).toBe(own.status);
      expect(response.body, path).toBe(own.body);
      expect(JSON.stringify(response.headers), path).not.toContain('evil');
    }
  });

  it('in the target is ignored and not repeated', async () => {
    const target = 'http://evil.example/api/v2/artist/mono?fields=nope';
    const response = await responseTo(`GET ${target} HTTP/1.1`, [HOST, key]);
    expectRejected(response, 'invalid_fields');
    expect(JSON.stringify(response)).not.toContain('evil');
    expect(response.body).toContain('/api/v2/artist/mono');
    expect((await responseTo('GET http://evil.example/api/v2 HTTP/1.1', [HOST])).status).toBe(200);
    const none = await responseTo('GET http://evil.example HTTP/1.1', [HOST]);
    expect([302, 400, 404]).toContain(none.status);
    expect(JSON.stringify(none)).not.toContain('evil');
  });
});

it('a path with dot segments is not found', async () => {
  for (const path of [
    '/docs/../api/v2',
    '/api/v2/../v2',
    '/docs/assets/../../config.ts',
    '/./api/v2',
    '/api/v2/.',
  ])
    expectRejected(await responseTo(`GET ${path} HTTP/1.1`, [HOST]), 'not_found');
});

describe('a method', () => {
  it.each(['TRACE', 'PROPFIND', 'PUT', 'DELETE'])('that no route has is rejected: %s', async (method) => {
    const rejected = await responseTo(`${method} /api/v2 HTTP/1.1`, [HOST, 'X-Secret: sesame']);
    expectRejected(rejected, 'method_not_allowed');
    expect(rejected.headers.allow).toBe('GET, HEAD, OPTIONS');
    // TRACE would echo the request, with the headers that a proxy added.
    expect(JSON.stringify(rejected)).not.toContain('sesame');
  });

  it('that opens a tunnel is rejected', async () => {
    const [rejected, ...others] = await sendRaw(
      port,
      message('CONNECT evil.example:443 HTTP/1.1', ['Host: evil.example:443'], 'hello'),
    );
    expect(others).toEqual([]);
    expectRejected(rejected as RawResponse, 'method_not_allowed');
    expect(JSON.stringify(rejected)).not.toContain('evil');
  });

  it('is read only from the request line, not from headers or query', async () => {
    const overrides = ['X-HTTP-Method-Override', 'X-Method-Override', 'X-HTTP-Method'];
    for (const name of overrides) {
      const read = await responseTo('GET /api/v2 HTTP/1.1', [HOST, `${name}: DELETE`]);
      expect(read.status, name).toBe(200);
      const written = await responseTo('POST /api/v2 HTTP/1.1', [HOST, `${name}: GET`]);
      expectRejected(written, 'method_not_allowed');
    }
    expectRejected(await responseTo('POST /api/v2?_method=GET HTTP/1.1', [HOST]), 'method_not_allowed');
  });

  it('does not upgrade the connection', async () => {
    const upgrade = ['Upgrade: websocket', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='];
    expect((await responseTo('GET /api/v2 HTTP/1.1', [HOST, ...upgrade])).status).toBe(200);
  });
});

describe('the Expect header', () => {
  const BATCH = 'POST /api/v2/resolve/batch HTTP/1.1';
  const JSON_BODY = ['Content-Type: application/json', 'Content-Length: 2'];

  it('gets 100 Continue', async () => {
    const sent = message(BATCH, [HOST, key, ...JSON_BODY, 'Expect: 100-continue', 'Connection: close'], '{}');
    const responses = await sendRaw(port, sent);
    expect(responses.map(({ status }) => status)).toEqual([100, 400]);
    expectRejected(responses[1] as RawResponse, 'invalid_query');
  });

  it('is ignored if unknown', async () => {
    expect((await responseTo('GET /api/v2 HTTP/1.1', [HOST, 'Expect: miracles'])).status).toBe(200);
  });
});

describe('headers', () => {
  const floods = (count: number): string[] => Array.from({ length: count }, (_, index) => `X-${index}: a`);

  it('are at most a hundred', async () => {
    // Besides Host and Connection.
    expect((await responseTo('GET /api/v2 HTTP/1.1', [HOST, ...floods(98)])).status).toBe(200);
    expectRejected(await responseTo('GET /api/v2 HTTP/1.1', [HOST, ...floods(99)]), 'headers_too_large');
    // The last header still counts.
    expectRejected(
      await responseTo('GET /api/v2/usage HTTP/1.1', [HOST, ...floods(2_000), key]),
      'headers_too_large',
    );
  });

  it.each([
    ['a name', `${'X'.repeat(17_000)}: a`],
    ['a value', `X-Long: ${'a'.repeat(17_000)}`],
    [
      'all together',
      floods(400)
        .map((header) => header + 'a'.repeat(40))
        .join('\r\n'),
    ],
  ])('are at most 16 KiB: %s', async (_name, header) => {
    const responses = await sendRaw(port, message('GET /api/v2 HTTP/1.1', [HOST, header]));
    expect(responses).toHaveLength(1);
    expectRejected(responses[0] as RawResponse, 'headers_too_large');
  });
});

describe('a request that arrives too slowly', () => {
  const logged: Record<string, unknown>[] = [];
  let slow: FastifyInstance;
  let slowPort: number;

  beforeAll(async () => {
    const { pino } = await import('pino');
    const log = pino({ level: 'info' }, { write: (line: string) => logged.push(JSON.parse(line)) });
    slow = await queryApp(service.pool, { arrival: { headersMs: 200, requestMs: 400 }, log });
    await slow.listen({ host: '127.0.0.1', port: 0 });
    ({ port: slowPort } = slow.server.address() as AddressInfo);
  });
  afterAll(() => slow.close());

  it('is rejected while its headers arrive one by one', async () => {
    const { socket, responses } = openRaw(slowPort);
    socket.write(`GET /api/v2 HTTP/1.1\r\n${HOST}\r\n`);
    const dripping = setInterval(() => socket.write('X-More: a\r\n'), 20);
    const [rejected, ...others] = await responses.finally(() => clearInterval(dripping));
    expect(others).toEqual([]);
    expectRejected(rejected as RawResponse, 'request_timeout');
  });

  it('is rejected while its body arrives byte by byte, and is not counted as a failure of the service', async () => {
    const { socket, responses } = openRaw(slowPort);
    const head = [HOST, key, 'Content-Type: application/json', 'Content-Length: 100000'];
    socket.write(message('POST /api/v2/resolve/batch HTTP/1.1', head, '{'));
    const dripping = setInterval(() => socket.write(' '), 20);
    const [rejected] = await responses.finally(() => clearInterval(dripping));
    expectRejected(rejected as RawResponse, 'request_timeout');
    expect(logged.filter(({ level }) => Number(level) >= 40)).toEqual([]);
  });

  it('does not delay other requests', async () => {
    const waiting = Array.from({ length: 50 }, () => openRaw(slowPort));
    for (const { socket } of waiting) socket.write('GET /api/v2 HTTP/1.1\r\n');
    const [response] = await sendRaw(slowPort, message('GET /api/v2 HTTP/1.1', [HOST, 'Connection: close']));
    expect(response?.status).toBe(200);
    for (const { responses } of waiting)
      expectRejected((await responses)[0] as RawResponse, 'request_timeout');
  });
});
