import { createGzip, gunzipSync, gzipSync } from 'node:zlib';
import fastify from 'fastify';
import { afterAll, expect, it } from 'vitest';
import { compress } from './compress.ts';

const LONG = 'long text, é '.repeat(200);
const ZIPPED = gzipSync(LONG);

const app = fastify();
app.register(compress);
app.get('/json', () => ({ LONG }));
app.get('/buffer', (_request, reply) => reply.type('text/html; charset=utf-8').send(Buffer.from(LONG)));
app.get('/sized', (_request, reply) =>
  reply.type('text/css').header('content-length', Buffer.byteLength(LONG)).send(LONG),
);
app.get('/of/:length', (request, reply) => {
  const { length } = request.params as { length: string };
  reply.type('text/plain').send('x'.repeat(Number(length)));
});
app.get('/varied', (_request, reply) => reply.header('vary', 'Origin').send({ LONG }));
app.get('/zipped', (_request, reply) =>
  reply
    .type('application/json')
    .headers({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' })
    .send(ZIPPED),
);
app.get('/image', (_request, reply) => reply.type('image/png').send(Buffer.from(LONG)));
app.get('/stream', (_request, reply) => {
  const stream = createGzip();
  stream.end(LONG);
  return reply.type('text/plain').send(stream);
});
app.get('/unchanged', (_request, reply) => reply.code(304).header('vary', 'Accept-Encoding').send());
app.get('/failed', (_request, reply) => reply.code(400).send({ error: LONG }));
app.get('/empty', (_request, reply) => reply.code(204).send());
afterAll(() => app.close());

const ask = (url: string, acceptEncoding?: string, method: 'GET' | 'HEAD' = 'GET') =>
  app.inject({
    method,
    url,
    headers: acceptEncoding === undefined ? {} : { 'accept-encoding': acceptEncoding },
  });

it.each(['/json', '/buffer', '/sized', '/failed', '/of/1024'])('compresses text: %s', async (url) => {
  const [plain, zipped] = [await ask(url), await ask(url, 'br, gzip')];
  expect(plain.headers['content-encoding']).toBeUndefined();
  expect(zipped.headers['content-encoding']).toBe('gzip');
  expect(gunzipSync(zipped.rawPayload)).toEqual(plain.rawPayload);
  expect(zipped.statusCode).toBe(plain.statusCode);
  expect(zipped.headers['content-type']).toBe(plain.headers['content-type']);
  for (const answer of [plain, zipped]) {
    expect(answer.headers.vary).toBe('Accept-Encoding');
    expect(answer.headers['content-length']).toBe(String(answer.rawPayload.length));
  }
});

it.each([undefined, '', 'br', 'identity', 'gzip;q=0', 'gzip;q=0.2, identity'])(
  'leaves text plain for who does not prefer gzip: %s',
  async (acceptEncoding) => {
    const answer = await ask('/json', acceptEncoding);
    expect(answer.headers['content-encoding']).toBeUndefined();
    expect(answer.json()).toEqual({ LONG });
    expect(answer.headers.vary).toBe('Accept-Encoding');
  },
);

it.each(['/of/1023', '/of/0', '/image', '/empty'])('leaves alone what gains nothing: %s', async (url) => {
  const [plain, asked] = [await ask(url), await ask(url, 'gzip')];
  expect(asked.headers['content-encoding']).toBeUndefined();
  expect(asked.headers.vary).toBeUndefined();
  expect(asked.rawPayload).toEqual(plain.rawPayload);
});

it('leaves as they are an answer that is compressed already, and one without a body', async () => {
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

it('keeps what else an answer varies by', async () => {
  expect((await ask('/varied', 'gzip')).headers.vary).toBe('Origin, Accept-Encoding');
});

it('answers HEAD with the headers of GET', async () => {
  for (const coding of ['gzip', 'identity']) {
    const [got, head] = [await ask('/json', coding), await ask('/json', coding, 'HEAD')];
    expect(head.rawPayload).toHaveLength(0);
    for (const name of ['content-length', 'content-encoding', 'content-type', 'vary'])
      expect(head.headers[name], name).toBe(got.headers[name]);
  }
});
