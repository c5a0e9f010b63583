import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BASE_URL, keyHeader, queryApp } from '../../../test/query-app.ts';
import { openRaw, type RawAnswer, sendRaw } from '../../../test/raw-http.ts';
import { withDatabase } from '../../../test/services/database.ts';
import { type ErrorCode, errorCatalogue } from '../errors.ts';

const { pool } = withDatabase();
const HOST = 'Host: api.example';
let app: FastifyInstance;
let port: number;
let key: string;

beforeAll(async () => {
  app = await queryApp(pool, { trustProxy: '127.0.0.1' });
  await app.listen({ host: '127.0.0.1', port: 0 });
  ({ port } = app.server.address() as AddressInfo);
  key = `X-API-Key: ${(await keyHeader(pool))['x-api-key']}`;
});
afterAll(() => app.close());

const message = (start: string, headers: readonly string[], body = ''): string =>
  `${[start, ...headers, '', ''].join('\r\n')}${body}`;

/** The one answer to what is sent, on a connection that is closed behind it. */
async function answerTo(start: string, headers: readonly string[], body = ''): Promise<RawAnswer> {
  const answers = await sendRaw(port, message(start, [...headers, 'Connection: close'], body));
  expect(answers).toHaveLength(1);
  return answers[0] as RawAnswer;
}

function expectRefused(answer: RawAnswer, code: ErrorCode): void {
  expect(answer.status, answer.body).toBe(errorCatalogue[code].status);
  expect(JSON.parse(answer.body)).toMatchObject({
    error: code,
    doc_url: `${BASE_URL}/docs/api#error-${code}`,
  });
  expect(answer.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'access-control-allow-origin': '*',
    'x-content-type-options': 'nosniff',
    'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
}

describe('a request that two parsers could cut in two ways', () => {
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
  ])('is refused, and nothing behind it is read: %s', async (_name, headers) => {
    const answers = await sendRaw(port, message(POST, [HOST, key, ...headers], SMUGGLED));
    expect(answers).toHaveLength(1);
    expectRefused(answers[0] as RawAnswer, 'malformed_request');
    expect(answers[0]?.headers.connection).toBe('close');
  });

  it('of chunks that are none is refused', async () => {
    const headers = [HOST, key, 'Content-Type: application/json', 'Transfer-Encoding: chunked'];
    const refused = await answerTo(POST, headers, 'zz\r\n{}\r\n0\r\n\r\n');
    expectRefused(refused, 'malformed_request');
  });

  it('whose method or version is none is refused', async () => {
    for (const start of ['NONSENSE / HTTP/1.1', 'get /api/v2 HTTP/1.1', 'GET /api/v2 HTTP/9.9'])
      expectRefused(await answerTo(start, [HOST]), 'malformed_request');
  });
});

describe('the host', () => {
  it('has to be named in HTTP/1.1', async () => {
    expectRefused(await answerTo('GET /api/v2 HTTP/1.1', []), 'malformed_request');
    expectRefused(await answerTo('GET /nowhere HTTP/1.1', []), 'malformed_request');
    expect((await answerTo('GET /api/v2 HTTP/1.0', [])).status).toBe(200);
  });

  it('is one, and could be one', async () => {
    for (const hosts of [[HOST, 'Host: evil.example'], [HOST, HOST], ['Host: a b'], ['Host: a/<x>']])
      expectRefused(await answerTo('GET /api/v2 HTTP/1.1', hosts), 'malformed_request');
    for (const host of ['api.example:8080', '127.0.0.1', '[::1]:8080', 'xn--mnchen-3ya.example', ''])
      expect((await answerTo('GET /api/v2 HTTP/1.1', [`Host: ${host}`])).status, host).toBe(200);
  });

  it('that a client makes up is in no answer', async () => {
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
      const own = await answerTo(`GET ${path} HTTP/1.1`, [HOST, key]);
      const answer = await answerTo(`GET ${path} HTTP/1.1`, [...made, key]);
      expect(answer.status, path).toBe(own.status);
      expect(answer.body, path).toBe(own.body);
      expect(JSON.stringify(answer.headers), path).not.toContain('evil');
    }
  });

  it('in the target leads to the path behind it, and is not repeated', async () => {
    const target = 'http://evil.example/api/v2/artist/mono?fields=nope';
    const answer = await answerTo(`GET ${target} HTTP/1.1`, [HOST, key]);
    expectRefused(answer, 'invalid_fields');
    expect(JSON.stringify(answer)).not.toContain('evil');
    expect(answer.body).toContain('/api/v2/artist/mono');
    expect((await answerTo('GET http://evil.example/api/v2 HTTP/1.1', [HOST])).status).toBe(200);
    const none = await answerTo('GET http://evil.example HTTP/1.1', [HOST]);
    expect([400, 404]).toContain(none.status);
    expect(JSON.stringify(none)).not.toContain('evil');
  });
});

it('a path is taken as it stands, and climbs nowhere', async () => {
  for (const path of [
    '/docs/../api/v2',
    '/api/v2/../v2',
    '/docs/assets/../../config.ts',
    '/./api/v2',
    '/api/v2/.',
  ])
    expectRefused(await answerTo(`GET ${path} HTTP/1.1`, [HOST]), 'not_found');
});

describe('a method', () => {
  it.each(['TRACE', 'PROPFIND', 'PUT', 'DELETE'])('that no route has is refused: %s', async (method) => {
    const refused = await answerTo(`${method} /api/v2 HTTP/1.1`, [HOST, 'X-Secret: sesame']);
    expectRefused(refused, 'method_not_allowed');
    expect(refused.headers.allow).toBe('GET, HEAD, OPTIONS');
    // TRACE is meant to echo the request, and with it what a proxy added.
    expect(JSON.stringify(refused)).not.toContain('sesame');
  });

  it('that asks for a tunnel is refused', async () => {
    const [refused, ...others] = await sendRaw(
      port,
      message('CONNECT evil.example:443 HTTP/1.1', ['Host: evil.example:443'], 'hello'),
    );
    expect(others).toEqual([]);
    expectRefused(refused as RawAnswer, 'method_not_allowed');
    expect(JSON.stringify(refused)).not.toContain('evil');
  });

  it('is the one of the request line, whatever headers and query say', async () => {
    const overrides = ['X-HTTP-Method-Override', 'X-Method-Override', 'X-HTTP-Method'];
    for (const name of overrides) {
      const read = await answerTo('GET /api/v2 HTTP/1.1', [HOST, `${name}: DELETE`]);
      expect(read.status, name).toBe(200);
      const written = await answerTo('POST /api/v2 HTTP/1.1', [HOST, `${name}: GET`]);
      expectRefused(written, 'method_not_allowed');
    }
    expectRefused(await answerTo('POST /api/v2?_method=GET HTTP/1.1', [HOST]), 'method_not_allowed');
  });

  it('upgrades to nothing', async () => {
    const upgrade = ['Upgrade: websocket', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='];
    expect((await answerTo('GET /api/v2 HTTP/1.1', [HOST, ...upgrade])).status).toBe(200);
  });
});

describe('an expectation', () => {
  const BATCH = 'POST /api/v2/resolve/batch HTTP/1.1';
  const JSON_BODY = ['Content-Type: application/json', 'Content-Length: 2'];

  it('to be told to go on is met', async () => {
    const sent = message(BATCH, [HOST, key, ...JSON_BODY, 'Expect: 100-continue', 'Connection: close'], '{}');
    const answers = await sendRaw(port, sent);
    expect(answers.map(({ status }) => status)).toEqual([100, 400]);
    expectRefused(answers[1] as RawAnswer, 'invalid_query');
  });

  it('that nobody knows is passed over', async () => {
    expect((await answerTo('GET /api/v2 HTTP/1.1', [HOST, 'Expect: miracles'])).status).toBe(200);
  });
});

describe('headers', () => {
  const floods = (count: number): string[] => Array.from({ length: count }, (_, index) => `X-${index}: a`);

  it('may be a hundred, and no more', async () => {
    // With the host, and that the connection is to be closed.
    expect((await answerTo('GET /api/v2 HTTP/1.1', [HOST, ...floods(98)])).status).toBe(200);
    expectRefused(await answerTo('GET /api/v2 HTTP/1.1', [HOST, ...floods(99)]), 'headers_too_large');
    // Whatever stands last is not passed over.
    expectRefused(
      await answerTo('GET /api/v2/usage HTTP/1.1', [HOST, ...floods(2_000), key]),
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
  ])('are no longer than 16 KiB: %s', async (_name, header) => {
    const answers = await sendRaw(port, message('GET /api/v2 HTTP/1.1', [HOST, header]));
    expect(answers).toHaveLength(1);
    expectRefused(answers[0] as RawAnswer, 'headers_too_large');
  });
});

describe('what arrives too slowly', () => {
  const logged: Record<string, unknown>[] = [];
  let slow: FastifyInstance;
  let slowPort: number;

  beforeAll(async () => {
    const { pino } = await import('pino');
    const log = pino({ level: 'info' }, { write: (line: string) => logged.push(JSON.parse(line)) });
    slow = await queryApp(pool, { arrival: { headersMs: 200, requestMs: 400 }, log });
    await slow.listen({ host: '127.0.0.1', port: 0 });
    ({ port: slowPort } = slow.server.address() as AddressInfo);
  });
  afterAll(() => slow.close());

  it('is refused while its headers come one by one', async () => {
    const { socket, answers } = openRaw(slowPort);
    socket.write(`GET /api/v2 HTTP/1.1\r\n${HOST}\r\n`);
    const dripping = setInterval(() => socket.write('X-More: a\r\n'), 20);
    const [refused, ...others] = await answers.finally(() => clearInterval(dripping));
    expect(others).toEqual([]);
    expectRefused(refused as RawAnswer, 'request_timeout');
  });

  it('is refused while its body comes byte by byte, which is nobody else’s failure', async () => {
    const { socket, answers } = openRaw(slowPort);
    const head = [HOST, key, 'Content-Type: application/json', 'Content-Length: 100000'];
    socket.write(message('POST /api/v2/resolve/batch HTTP/1.1', head, '{'));
    const dripping = setInterval(() => socket.write(' '), 20);
    const [refused] = await answers.finally(() => clearInterval(dripping));
    expectRefused(refused as RawAnswer, 'request_timeout');
    expect(logged.filter(({ level }) => Number(level) >= 40)).toEqual([]);
  });

  it('keeps nobody else waiting', async () => {
    const waiting = Array.from({ length: 50 }, () => openRaw(slowPort));
    for (const { socket } of waiting) socket.write('GET /api/v2 HTTP/1.1\r\n');
    const [answer] = await sendRaw(slowPort, message('GET /api/v2 HTTP/1.1', [HOST, 'Connection: close']));
    expect(answer?.status).toBe(200);
    for (const { answers } of waiting) expectRefused((await answers)[0] as RawAnswer, 'request_timeout');
  });
});
