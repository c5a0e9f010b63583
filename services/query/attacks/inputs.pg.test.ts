import type { LightMyRequestResponse } from 'fastify';
import { describe, expect, it } from 'vitest';
import { type ListedOperation, listOperations } from '../../../test/support/openapi/committed-document.ts';
import { readExamples } from '../../../test/support/openapi/examples.ts';
import { withWholeService } from '../../../test/support/query/whole-service.ts';

const { app, send } = withWholeService();

/** Percent-encoded values; each is well-formed UTF-8 after decoding. */
const HOSTILE = [
  '%00',
  'a%00b',
  '%0d%0aX-Evil:%201',
  '%0d%0a%0d%0a%3Chtml%3E',
  '%E2%80%AEabc',
  'e%CC%81',
  '%C3%A9',
  '%F0%9F%92%A3',
  '%EF%BB%BF',
  '%EF%BF%BF',
  '..%2F..%2F..%2Fetc%2Fpasswd',
  '%2e%2e%5cwindows',
  '%252e%252e%252f',
  "'%20or%201%3D1--",
  '%22%3B%20drop%20table%20x%3B--',
  '%24%7B7*7%7D%7B%7B7*7%7D%7D',
  '%3Cscript%3Ealert(1)%3C%2Fscript%3E',
  '%25s%25n%25x',
  '__proto__',
  'constructor',
  '-1',
  '99999999999999999999',
  '1e309',
  'NaN',
  'null',
  'true',
  '%20',
  'a'.repeat(10_000),
  '%F0%9D%95%8F'.repeat(500),
];

interface Hostile {
  readonly name: string;
  readonly url: string;
}

/** One request for each parameter of the operation, with the value in it. */
function* hostileTo(
  { path, operation: { operationId, parameters } }: ListedOperation,
  value: string,
): Generator<Hostile> {
  const [, query = ''] = (readExamples().get(operationId)?.request.path ?? '').split('?');
  const filled = (name?: string): string =>
    path.replaceAll(/\{(\w+)\}/g, (_all, other) => (other === name ? value : 'a'));
  const named = parameters.filter((parameter) => 'name' in parameter);
  for (const { name } of named.filter((parameter) => parameter.in === 'path'))
    yield { name, url: `${filled(name)}${query && `?${query}`}` };
  for (const { name } of named.filter((parameter) => parameter.in === 'query')) {
    const others = query.split('&').filter((pair) => pair !== '' && !pair.startsWith(`${name}=`));
    yield { name, url: `${filled()}?${[...others, `${name}=${value}`].join('&')}` };
  }
}

/** Checks what every response must satisfy. */
function expectHarmless(response: LightMyRequestResponse, request: string): void {
  expect([200, 400, 404], `${request} ${response.statusCode} ${response.body.slice(0, 300)}`).toContain(
    response.statusCode,
  );
  expect(response.headers['x-evil'], request).toBeUndefined();
  expect(response.headers['content-type'], request).toBe('application/json; charset=utf-8');
  expect(response.headers['x-content-type-options'], request).toBe('nosniff');
  const body = response.json();
  if (response.statusCode !== 200) {
    expect(body, request).toMatchObject({
      error: expect.stringMatching(/^[a-z_]+$/),
      hint: expect.any(String),
    });
    // The suggested request is a valid URL, however odd the value.
    if (body.next !== undefined) expect(URL.canParse(body.next), `${request} ${body.next}`).toBe(true);
    expect(body.next ?? '', request).not.toMatch(/[\s<>"\0]/);
  }
}

describe('an odd value', () => {
  it.each(HOSTILE)('gets a response or a client error in every parameter: %.40s', async (value) => {
    const reads = listOperations().filter(({ method }) => method === 'get');
    let count = 0;
    for (const listed of reads) {
      for (const { name, url } of hostileTo(listed, value)) {
        const response = await send({ url });
        expectHarmless(response, `${listed.operation.operationId} ${name} ${value.slice(0, 40)}`);
        count++;
      }
    }
    expect(count).toBeGreaterThan(60);
  });
});

describe('a parameter', () => {
  it('is rejected if repeated, unless it is a list', async () => {
    const repeated = await send({ url: '/api/v2/resolve?q=a&q=b' });
    expect(repeated.json()).toMatchObject({ error: 'invalid_query', param: 'q' });
    expect((await send({ url: '/api/v2/search?q=a&genre=Rock&genre=Jazz' })).statusCode).toBe(200);
  });

  it('is ignored or rejected among too many parameters', async () => {
    const many = Array.from({ length: 1_500 }, (_, index) => `p${index}=1`).join('&');
    expect((await send({ url: `/api/v2/search?q=a&${many}` })).statusCode).toBe(400);
    for (const url of [`/api/v2/surface?${many}`, `/api/v2/artists?${many}`]) {
      const { statusCode, headers } = await send({ url });
      expect(statusCode, url.slice(0, 40)).toBeLessThan(500);
      expect(String(headers['x-linernotes-ignored']).split(', '), url.slice(0, 40)).toHaveLength(20);
    }
    const list = Array.from({ length: 1_500 }, () => 'genre=a').join('&');
    expect((await send({ url: `/api/v2/search?q=a&${list}` })).statusCode).toBeLessThan(500);
  });

  it.each([
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    '__proto__[a]',
    'a[__proto__][b]',
    'hasOwnProperty',
  ])('with a name that every object inherits is unknown to every route: %s', async (name) => {
    const encoded = encodeURIComponent(name);
    for (const url of ['/api/v2/surface', '/api/v2/artists', '/api/v2/aura'])
      expect((await send({ url: `${url}?${encoded}=1` })).headers['x-linernotes-ignored'], url).toBe(encoded);
    const rejected = await send({ url: `/api/v2/search?q=a&${encoded}=1` });
    expect([rejected.statusCode, rejected.json().error]).toEqual([400, 'invalid_facet']);
    expect(Object.hasOwn(Object.prototype, 'a')).toBe(false);
  });
});

describe('a path', () => {
  it.each([
    '/docs/assets/..%2f..%2fconfig.ts',
    '/docs/assets/%2e%2e/%2e%2e/config.ts',
    '/docs/assets/%2e%2e%2f%2e%2e%2fconfig.ts',
    '/docs/assets/..%5c..%5cconfig.ts',
    '/docs/assets/%252e%252e%252fconfig.ts',
    '/docs/assets//etc/passwd',
    '/docs/assets/%2fetc%2fpasswd',
    '/docs/assets/docs.css%00.js',
    '/docs/assets/',
    '/docs/assets',
    '//api/v2',
    '/api//v2',
    '/.git/config',
    '/package.json',
  ])('reaches no file and passes no check: %s', async (url) => {
    const rejected = await app().inject(url);
    expect([400, 404], rejected.body).toContain(rejected.statusCode);
    expect(['not_found', 'malformed_request']).toContain(rejected.json().error);
  });

  it('in another spelling does not bypass the API key', async () => {
    for (const url of [
      '/API/v2/usage',
      '/api/v2/usage/',
      '/api/v2/usage%2f',
      '/api/v2/usage;a=b',
      '/api/v2/%75sage',
    ]) {
      const rejected = await app().inject(url);
      expect([401, 404], url).toContain(rejected.statusCode);
    }
  });
});

it('an invalid request id is replaced and appears in no response', async () => {
  for (const id of ['a\tb', '<script>', 'a;b', 'x'.repeat(129), '$' + '{jndi:ldap://evil}', 'é']) {
    const response = await app().inject({ url: '/nowhere', headers: { 'x-request-id': id } });
    expect(response.headers['x-request-id'], id).toMatch(/^[0-9a-f-]{36}$/);
    expect(response.body).not.toContain(id);
  }
});
