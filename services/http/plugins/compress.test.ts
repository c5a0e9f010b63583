import { brotliDecompressSync, createGzip, gunzipSync, gzipSync } from 'node:zlib';
import fastify from 'fastify';
import { afterAll, expect, it } from 'vitest';
import { definePlugin } from '../define-plugin.ts';
import { compress } from './compress.ts';

const LONG = 'long text, é '.repeat(200);
const ZIPPED = gzipSync(LONG);

const app = fastify();
app.register(compress);
app.register(
  definePlugin('routes', [], (routes) => {
    routes.get('/json', () => ({ LONG }));
    routes.get('/buffer', (_request, reply) =>
      reply.type('text/html; charset=utf-8').send(Buffer.from(LONG)),
    );
    routes.get('/sized', (_request, reply) =>
      reply.type('text/css').header('content-length', Buffer.byteLength(LONG)).send(LONG),
    );
    routes.get('/of/:length', (request, reply) => {
      const { length } = request.params as { length: string };
      reply.type('text/plain').send('x'.repeat(Number(length)));
    });
    routes.get('/varied', (_request, reply) => reply.header('vary', 'Origin').send({ LONG }));
    routes.get('/zipped', (_request, reply) =>
      reply
        .type('application/json')
        .headers({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' })
        .send(ZIPPED),
    );
    routes.get('/image', (_request, reply) => reply.type('image/png').send(Buffer.from(LONG)));
    routes.get('/stream', (_request, reply) => {
      const stream = createGzip();
      stream.end(LONG);
      return reply.type('text/plain').send(stream);
    });
    routes.get('/unchanged', (_request, reply) => reply.code(304).header('vary', 'Accept-Encoding').send());
    routes.get('/failed', (_request, reply) => reply.code(400).send({ error: LONG }));
    routes.get('/empty', (_request, reply) => reply.code(204).send());
    routes.get('/stored', { config: { sendsStoredBytes: true } }, () => ({ LONG }));
    routes.get('/problem', (_request, reply) =>
      reply.code(400).type('application/problem+json; charset=utf-8').send(JSON.stringify({ LONG })),
    );
  }),
);
afterAll(() => app.close());

const ask = (url: string, acceptEncoding?: string, method: 'GET' | 'HEAD' = 'GET') =>
  app.inject({
    method,
    url,
    headers: acceptEncoding === undefined ? {} : { 'accept-encoding': acceptEncoding },
  });

const INFLATE = { gzip: gunzipSync, br: brotliDecompressSync };

it.each(['/json', '/buffer', '/sized', '/failed', '/problem', '/of/1024'])(
  'compresses text: %s',
  async (url) => {
    const plain = await ask(url);
    expect(plain.headers['content-encoding']).toBeUndefined();
    for (const [accepted, coding] of [
      ['gzip', 'gzip'],
      ['gzip, deflate, br', 'br'],
      ['br;q=0.5, gzip', 'gzip'],
    ] as const) {
      const coded = await ask(url, accepted);
      expect(coded.headers['content-encoding']).toBe(coding);
      expect(INFLATE[coding](coded.rawPayload)).toEqual(plain.rawPayload);
      expect(coded.statusCode).toBe(plain.statusCode);
      expect(coded.headers['content-type']).toBe(plain.headers['content-type']);
      for (const response of [plain, coded]) {
        expect(response.headers.vary).toBe('Accept-Encoding');
        expect(response.headers['content-length']).toBe(String(response.rawPayload.length));
      }
    }
  },
);

it.each([undefined, '', 'zstd', 'identity', 'gzip;q=0', 'gzip;q=0.2, br;q=0.1, identity'])(
  'sends plain text to clients that prefer no known coding: %s',
  async (acceptEncoding) => {
    const response = await ask('/json', acceptEncoding);
    expect(response.headers['content-encoding']).toBeUndefined();
    expect(response.json()).toEqual({ LONG });
    expect(response.headers.vary).toBe('Accept-Encoding');
  },
);

it.each(['/of/1023', '/of/0', '/image', '/empty', '/stored'])(
  'does not compress responses that would not shrink: %s',
  async (url) => {
    const [plain, negotiated] = [await ask(url), await ask(url, 'gzip')];
    expect(negotiated.headers['content-encoding']).toBeUndefined();
    expect(negotiated.headers.vary).toBeUndefined();
    expect(negotiated.rawPayload).toEqual(plain.rawPayload);
  },
);

it('does not change compressed responses, streams and responses without a body', async () => {
  const zipped = await ask('/zipped', 'gzip');
  expect(zipped.rawPayload).toEqual(ZIPPED);
  expect([zipped.headers['content-encoding'], zipped.headers.vary]).toEqual(['gzip', 'Accept-Encoding']);
  const unchanged = await ask('/unchanged', 'gzip');
  expect(unchanged.rawPayload).toHaveLength(0);
  expect(unchanged.headers['content-encoding']).toBeUndefined();
  expect(unchanged.headers.vary).toBe('Accept-Encoding');
  const stream = await ask('/stream', 'gzip');
  expect(stream.headers['content-encoding']).toBeUndefined();
  expect(gunzipSync(stream.rawPayload).toString()).toBe(LONG);
});

it('keeps the other names in Vary', async () => {
  expect((await ask('/varied', 'gzip')).headers.vary).toBe('Origin, Accept-Encoding');
});

it('responds to HEAD with the headers of GET', async () => {
  for (const coding of ['br', 'gzip', 'identity']) {
    const [got, head] = [await ask('/json', coding), await ask('/json', coding, 'HEAD')];
    expect(head.rawPayload).toHaveLength(0);
    for (const name of ['content-length', 'content-encoding', 'content-type', 'vary'])
      expect(head.headers[name], name).toBe(got.headers[name]);
  }
});
