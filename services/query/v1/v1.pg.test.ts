import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { FastifyInstance } from 'fastify';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { BASE_URL } from '../../../test/support/query/app.ts';
import { withQueryService } from '../../../test/support/query/service.ts';
import type { V1Settings } from './settings.ts';

const service = withQueryService();
const MIGRATION = `${BASE_URL}/docs/migration/v1-to-v2`;

interface SeenRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

let upstream: Server;
let upstreamUrl: string;
let seen: SeenRequest[] = [];
let respond: (response: ServerResponse) => void;

beforeAll(async () => {
  upstream = createServer(async (request, response) => {
    const { method, url, headers } = request;
    seen.push({ method, url, headers, body: await text(request) });
    respond(response);
  });
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  upstreamUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
});
afterAll(() => {
  upstream.closeAllConnections();
  upstream.close();
});
afterEach(() => {
  seen = [];
});

function open(changed: Partial<V1Settings> | null = {}): Promise<FastifyInstance> {
  const v1 = {
    upstreamUrl,
    deprecatedAt: new Date('2026-11-01T00:00:00Z'),
    sunsetAt: new Date('2027-11-01T00:00:00Z'),
  };
  return service.open({ v1: changed === null ? null : { ...v1, ...changed } });
}

describe('without an upstream', () => {
  it.each(['GET', 'POST', 'OPTIONS', 'DELETE'] as const)('responds 404 to %s', async (method) => {
    const app = await open(null);
    for (const url of ['/api/v1', '/api/v1/', '/api/v1/artists/1?a=b']) {
      const rejected = await app.inject({ method, url });
      expect(rejected.statusCode).toBe(404);
      expect(rejected.json()).toEqual({
        error: 'not_found',
        message: 'Version 1 of the API is not served here.',
        hint: '/docs/migration/v1-to-v2 lists the replacement of each of its routes.',
        doc_url: `${BASE_URL}/docs/api#error-not_found`,
        next: MIGRATION,
      });
    }
  });
});

describe('with an upstream', () => {
  it('proxies requests and responses, and announces the end of v1', async () => {
    respond = (response) => {
      response.writeHead(201, {
        'content-type': 'text/plain; charset=latin1',
        'x-own': 'yes',
        'x-hop': 'no',
        connection: 'x-hop',
        'x-ratelimit-limit': '7',
        link: '<https://v1.example/next>; rel="next"',
        'set-cookie': ['a=1', 'b=2'],
      });
      response.write('one ');
      response.end('two');
    };
    const app = await open();
    const passed = await app.inject({
      method: 'POST',
      url: '/api/v1/artists/a%2Fb?q=%C3%A9&q=+',
      headers: {
        'content-type': 'application/x-own',
        'x-api-key': 'key of v1',
        'x-request-id': 'find-me',
        te: 'trailers',
        connection: 'keep-alive, x-private',
        'x-private': 'no',
        'x-forwarded-for': '203.0.113.9',
      },
      payload: '<{not JSON',
    });
    expect(passed.statusCode).toBe(201);
    expect(passed.body).toBe('one two');
    expect(passed.headers).toMatchObject({
      'content-type': 'text/plain; charset=latin1',
      'x-own': 'yes',
      'x-ratelimit-limit': '7',
      'set-cookie': ['a=1', 'b=2'],
      'x-request-id': 'find-me',
      deprecation: '@1793491200',
      sunset: 'Mon, 01 Nov 2027 00:00:00 GMT',
      link: `<https://v1.example/next>; rel="next", <${MIGRATION}>; rel="deprecation"; type="text/html", <${MIGRATION}>; rel="sunset"; type="text/html", <${BASE_URL}/api/v2>; rel="successor-version"`,
    });
    expect(passed.headers['x-hop']).toBeUndefined();
    const [received] = seen;
    expect(received).toMatchObject({
      method: 'POST',
      url: '/api/v1/artists/a%2Fb?q=%C3%A9&q=+',
      body: '<{not JSON',
      headers: {
        host: upstreamUrl.slice('http://'.length),
        'content-type': 'application/x-own',
        'content-length': '10',
        'x-api-key': 'key of v1',
        'x-request-id': 'find-me',
        'x-forwarded-for': '127.0.0.1',
        'x-forwarded-host': 'api.example',
        'x-forwarded-proto': 'http',
      },
    });
    expect(received?.headers).not.toHaveProperty('te');
    expect(received?.headers).not.toHaveProperty('x-private');
  });

  it.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const)('proxies %s', async (method) => {
    respond = (response) => response.writeHead(200, { 'x-own': 'yes' }).end('body');
    const passed = await (await open()).inject({ method, url: '/api/v1/artists' });
    expect([passed.statusCode, passed.headers['x-own'], seen[0]?.method]).toEqual([200, 'yes', method]);
    expect(passed.body).toBe(method === 'HEAD' ? '' : 'body');
  });

  it('follows no redirect, and rewrites those within the upstream', async () => {
    const app = await open();
    const locationOf = async (location: string): Promise<unknown> => {
      respond = (response) => response.writeHead(302, { location }).end();
      const passed = await app.inject('/api/v1/old');
      return [passed.statusCode, passed.headers.location];
    };
    expect(await locationOf(`${upstreamUrl}/api/v1/new`)).toEqual([302, `${BASE_URL}/api/v1/new`]);
    expect(await locationOf('/api/v1/new')).toEqual([302, '/api/v1/new']);
    expect(await locationOf('https://elsewhere.example/')).toEqual([302, 'https://elsewhere.example/']);
    expect(seen).toHaveLength(3);
  });

  it('proxies errors of the upstream unchanged', async () => {
    respond = (response) => response.writeHead(404, { 'content-type': 'text/plain' }).end('no such thing');
    const passed = await (await open()).inject('/api/v1/nothing');
    expect([passed.statusCode, passed.body]).toEqual([404, 'no such thing']);
    expect(passed.headers.deprecation).toBe('@1793491200');
  });

  it('responds 404 to profiles, and rejects paths that leave v1', async () => {
    const app = await open();
    for (const url of ['/api/v1/me', '/api/v1/me/profile', '/api/v1/me?a=b']) {
      const rejected = await app.inject(url);
      expect([rejected.statusCode, rejected.json().error]).toEqual([404, 'not_found']);
      expect(rejected.json().next).toBeUndefined();
    }
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    for (const path of [
      '/api/v1/../admin',
      '/api/v1/%2e%2e/admin',
      '/api/v1/a%2F..%2Fb',
      '/api/v1/a/.%2E',
      '/api/v1/a%5c..%5cb',
    ]) {
      // Sent verbatim: clients that parse URLs would resolve the path themselves.
      const sent = request(url, { path }).end();
      const [rejected]: IncomingMessage[] = await once(sent, 'response');
      expect([rejected?.statusCode, await text(rejected as IncomingMessage)], path).toEqual([
        400,
        expect.stringContaining('"error":"malformed_request"'),
      ]);
    }
    expect(seen).toEqual([]);
  });

  it('responds 413 to a body that is too large', async () => {
    const rejected = await (await open()).inject({
      method: 'POST',
      url: '/api/v1/a',
      headers: { 'content-type': 'text/plain' },
      payload: 'a'.repeat(300 * 1024),
    });
    expect([rejected.statusCode, rejected.json().error]).toEqual([413, 'payload_too_large']);
    expect(seen).toEqual([]);
  });
});

describe('an upstream that fails', () => {
  it('responds 502 if the upstream is down or closes the connection', async () => {
    const rejected = await (await open({ upstreamUrl: 'http://127.0.0.1:1' })).inject('/api/v1/a');
    expect(rejected.statusCode).toBe(502);
    expect(rejected.json()).toMatchObject({
      error: 'upstream_unavailable',
      doc_url: `${BASE_URL}/docs/api#error-upstream_unavailable`,
    });
    expect(rejected.body).not.toContain('127.0.0.1');
    respond = (response) => response.destroy();
    expect((await (await open()).inject('/api/v1/a')).json().error).toBe('upstream_unavailable');
  });

  it('responds 504 after the deadline', async () => {
    respond = () => undefined;
    const rejected = await (await open({ deadlineMs: 50 })).inject('/api/v1/a');
    expect([rejected.statusCode, rejected.json().error]).toEqual([504, 'deadline_exceeded']);
  });

  it('breaks off a response that stays incomplete, so that clients notice', async () => {
    respond = (response) => response.writeHead(200, { 'content-length': '10' }).write('half');
    const app = await open({ deadlineMs: 2_000 });
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    const passed = await fetch(`${url}/api/v1/a`);
    expect(passed.status).toBe(200);
    await expect(passed.text()).rejects.toThrow();
  });
});
