import { Type } from '@sinclair/typebox';
import fastify from 'fastify';
import { afterAll, expect, it } from 'vitest';
import { definePlugin } from '../../http/define-plugin.ts';
import { compress } from './compress.ts';
import { etag } from './etag.ts';

let made = 0;
const declared: Record<string, readonly string[]> = {};
const app = fastify();
app.register(compress);
app.register(etag);
app.register(
  definePlugin('routes', [], (routes) => {
    routes.addHook('onRoute', ({ url, method, schema }) => {
      if (schema?.response) declared[`${method} ${url}`] = Object.keys(schema.response);
    });
    const schema = { response: { 200: Type.Any() } };
    routes.get('/same', { schema }, () => ({ a: 1 }));
    routes.get('/other', () => ({ a: 2 }));
    routes.get('/long', () => ({ a: 'long '.repeat(1_000) }));
    routes.get('/timed', () => ({ a: 1, generated_at: String(made++) }));
    routes.get('/inner', () => ({ b: { a: 1, generated_at: String(made++) } }));
    routes.get('/first', () => ({ generated_at: String(made++), a: 1 }));
    routes.get('/own', (_request, reply) => reply.header('etag', 'W/"own"').send({ a: made++ }));
    routes.get('/never', { schema, config: { hasNoEtag: true } }, () => ({ a: 1 }));
    routes.get('/stored', { config: { sendsStoredBytes: true } }, () => ({ a: 1 }));
    routes.get('/failed', (_request, reply) => reply.code(404).send({ a: 1 }));
    routes.get('/moved', (_request, reply) => reply.redirect('/same'));
    routes.post('/same', { schema }, () => ({ a: 1 }));
  }),
);
afterAll(() => app.close());

const ask = (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' | 'POST' = 'GET') =>
  app.inject({ method, url, headers });
const tagOf = async (url: string): Promise<unknown> => (await ask(url)).headers.etag;

it('is weak, and of what is said alone', async () => {
  const [same, other] = [await tagOf('/same'), await tagOf('/other')];
  expect(same).toMatch(/^W\/"[\w-]{22}"$/);
  expect(other).not.toBe(same);
  expect(await tagOf('/same')).toBe(same);
  const coded = await ask('/long', { 'accept-encoding': 'br' });
  expect([coded.headers['content-encoding'], coded.headers.etag]).toEqual(['br', await tagOf('/long')]);
});

it('leaves out the instant of the answer where it comes last, and nothing else', async () => {
  expect(await tagOf('/timed')).toBe(await tagOf('/timed'));
  for (const url of ['/inner', '/first']) expect(await tagOf(url), url).not.toBe(await tagOf(url));
});

it.each(['GET', 'HEAD'] as const)('saves who holds the answer the body: %s', async (method) => {
  const tag = String(await tagOf('/long'));
  for (const held of [tag, tag.slice(2), `"x", ${tag}`, '*']) {
    const answer = await ask('/long', { 'if-none-match': held, 'accept-encoding': 'br' }, method);
    expect([answer.statusCode, answer.body]).toEqual([304, '']);
    expect(answer.headers).toMatchObject({ etag: tag, vary: 'Accept-Encoding' });
    for (const name of ['content-type', 'content-length', 'content-encoding'])
      expect(answer.headers[name], name).toBeUndefined();
  }
  const other = await ask('/long', { 'if-none-match': 'W/"other"' }, method);
  expect([other.statusCode, other.headers.etag]).toEqual([200, tag]);
  expect(Number(other.headers['content-length'])).toBeGreaterThan(5_000);
});

it('keeps the validator of a route that has one of its own', async () => {
  const answer = await ask('/own', { 'if-none-match': 'W/"own"' });
  expect([answer.statusCode, answer.headers.etag]).toEqual([200, 'W/"own"']);
});

it.each(['/never', '/stored', '/failed', '/moved'])('has none for %s', async (url) => {
  const answer = await ask(url, { 'if-none-match': '*' });
  expect(answer.statusCode).not.toBe(304);
  expect(answer.headers.etag).toBeUndefined();
});

it('has none for what is not a read', async () => {
  const answer = await ask('/same', { 'if-none-match': '*' }, 'POST');
  expect([answer.statusCode, answer.headers.etag]).toEqual([200, undefined]);
});

it('declares 304 where it can be answered', () => {
  expect(declared).toEqual({
    'GET /same': ['200', '304'],
    'HEAD /same': ['200', '304'],
    'GET /never': ['200'],
    'HEAD /never': ['200'],
    'POST /same': ['200'],
  });
});
