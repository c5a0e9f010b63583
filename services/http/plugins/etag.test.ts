import { Type } from '@sinclair/typebox';
import fastify from 'fastify';
import { afterAll, expect, it } from 'vitest';
import { definePlugin } from '../define-plugin.ts';
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

it('is weak and depends only on the body before compression', async () => {
  const [same, other] = [await tagOf('/same'), await tagOf('/other')];
  expect(same).toMatch(/^W\/"[\w-]{22}"$/);
  expect(other).not.toBe(same);
  expect(await tagOf('/same')).toBe(same);
  const coded = await ask('/long', { 'accept-encoding': 'br' });
  expect([coded.headers['content-encoding'], coded.headers.etag]).toEqual(['br', await tagOf('/long')]);
});

it('ignores generated_at as the last member, and no other member', async () => {
  expect(await tagOf('/timed')).toBe(await tagOf('/timed'));
  for (const url of ['/inner', '/first']) expect(await tagOf(url), url).not.toBe(await tagOf(url));
});

it.each(['GET', 'HEAD'] as const)('returns 304 to a client that has the response: %s', async (method) => {
  const tag = String(await tagOf('/long'));
  for (const known of [tag, tag.slice(2), `"x", ${tag}`, '*']) {
    const response = await ask('/long', { 'if-none-match': known, 'accept-encoding': 'br' }, method);
    expect([response.statusCode, response.body]).toEqual([304, '']);
    expect(response.headers).toMatchObject({ etag: tag, vary: 'Accept-Encoding' });
    for (const name of ['content-type', 'content-length', 'content-encoding'])
      expect(response.headers[name], name).toBeUndefined();
  }
  const other = await ask('/long', { 'if-none-match': 'W/"other"' }, method);
  expect([other.statusCode, other.headers.etag]).toEqual([200, tag]);
  expect(Number(other.headers['content-length'])).toBeGreaterThan(5_000);
});

it('keeps the ETag that a route sets itself', async () => {
  const response = await ask('/own', { 'if-none-match': 'W/"own"' });
  expect([response.statusCode, response.headers.etag]).toEqual([200, 'W/"own"']);
});

it.each(['/never', '/stored', '/failed', '/moved'])('is not set for %s', async (url) => {
  const response = await ask(url, { 'if-none-match': '*' });
  expect(response.statusCode).not.toBe(304);
  expect(response.headers.etag).toBeUndefined();
});

it('is not set for POST', async () => {
  const response = await ask('/same', { 'if-none-match': '*' }, 'POST');
  expect([response.statusCode, response.headers.etag]).toEqual([200, undefined]);
});

it('declares 304 for the routes that can return it', () => {
  expect(declared).toEqual({
    'GET /same': ['200', '304'],
    'HEAD /same': ['200', '304'],
    'GET /never': ['200'],
    'HEAD /never': ['200'],
    'POST /same': ['200'],
  });
});
