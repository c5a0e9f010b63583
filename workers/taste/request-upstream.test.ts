import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { jsonResponse, withUpstream } from '../../test/support/taste/upstream.ts';
import { type RequestLimits, requestUpstream } from './request-upstream.ts';

const upstream = withUpstream();

const send = (limits: RequestLimits = {}, signal = new AbortController().signal) =>
  requestUpstream(
    { url: new URL(`${upstream.url}/page`), headers: { 'user-agent': 'Linernotes/1.0 +a@b' } },
    signal,
    limits,
  );

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

it('returns status, headers and JSON, and sends the user agent', async () => {
  upstream.answer((_, response) =>
    jsonResponse(response, { a: [1] }, { status: 403, headers: { 'x-left': '3' } }),
  );
  const answer = await send();
  if (typeof answer === 'string') throw new Error(answer);
  expect([answer.status, answer.headers.get('x-left'), answer.body]).toEqual([403, '3', { a: [1] }]);
  expect(upstream.asked[0]?.headers).toMatchObject({
    'user-agent': 'Linernotes/1.0 +a@b',
    accept: 'application/json',
  });
});

it.each([
  ['HTML', 'text/html', '<html>'],
  ['JSON labelled as HTML', 'text/html', '{"a":1}'],
  ['an empty response', 'application/json', ''],
  ['half of JSON', 'application/json', '{"a":'],
  ['JSON with a type that merely starts with json', 'application/jsonp', '{"a":1}'],
])('returns no body for %s', async (_, type, text) => {
  upstream.answer((_request, response) => response.writeHead(200, { 'content-type': type }).end(text));
  expect(await send()).toMatchObject({ status: 200, body: undefined });
});

it('accepts vendor JSON types, invalid UTF-8 and deeply nested JSON', async () => {
  upstream.answer((_, response) =>
    response
      .writeHead(200, { 'content-type': 'application/vnd.music.v2+json' })
      .end(Buffer.concat([Buffer.from('{"name":"M'), Buffer.from([0xff]), Buffer.from('no"}')])),
  );
  expect(await send()).toMatchObject({ body: { name: 'M\ufffdno' } });
  upstream.answer((_, response) =>
    response.writeHead(200, JSON_TYPE).end('['.repeat(100_000) + ']'.repeat(100_000)),
  );
  expect(await send()).toMatchObject({ status: 200 });
});

it.each([301, 302, 307, 308])('follows no redirect: %i', async (status) => {
  upstream.answer(({ path }, response) =>
    path === '/page'
      ? response.writeHead(status, { location: `${upstream.url}/elsewhere` }).end()
      : jsonResponse(response, {}),
  );
  expect(await send()).toBe('bad_answer');
  expect(upstream.asked.map(({ path }) => path)).toEqual(['/page']);
});

it('limits the response size with and without content-length or compression', async () => {
  const limits = { maxBytes: 10_000 };
  const text = JSON.stringify({ a: ' '.repeat(20_000) });
  upstream.answer((_, response) => response.writeHead(200, JSON_TYPE).end(text));
  expect(await send(limits)).toBe('bad_answer');
  const bomb = gzipSync(JSON.stringify({ a: ' '.repeat(10_000_000) }));
  upstream.answer((_, response) =>
    response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }).end(bomb),
  );
  expect(bomb.length).toBeLessThan(20_000);
  expect(await send({ maxBytes: 100_000 })).toBe('bad_answer');
  upstream.answer((_, response) => {
    response.writeHead(200, JSON_TYPE);
    const more = () => {
      while (!response.destroyed && response.write('[1],'.repeat(1_000)));
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  });
  expect(await send(limits)).toBe('bad_answer');
});

it('times out waiting for headers or for the rest of the body', async () => {
  const limits = { timeoutMs: 50 };
  upstream.answer(() => {});
  expect(await send(limits)).toBe('unavailable');
  upstream.answer((_, response) => response.writeHead(200, JSON_TYPE).write('{'));
  expect(await send(limits)).toBe('unavailable');
});

it('is unavailable if the service does not respond or the response breaks off', async () => {
  upstream.answer((_, response) => response.destroy());
  expect(await send()).toBe('unavailable');
  upstream.answer((_, response) => {
    response.writeHead(200, { ...JSON_TYPE, 'content-length': '100' });
    response.write('{"a":1}', () => response.destroy());
  });
  expect(await send()).toBe('unavailable');
  const nowhere = { url: new URL('http://127.0.0.1:1/'), headers: {} };
  expect(await requestUpstream(nowhere, new AbortController().signal)).toBe('unavailable');
});

it('ends when aborted', async () => {
  const ending = new AbortController();
  upstream.answer(() => ending.abort(new Error('aborted')));
  await expect(send({}, ending.signal)).rejects.toThrow('aborted');
});
