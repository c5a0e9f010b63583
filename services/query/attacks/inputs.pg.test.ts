import type { LightMyRequestResponse } from 'fastify';
import { describe, expect, it } from 'vitest';
import { withWholeService } from '../../../test/whole-service.ts';
import { readExamples } from '../docs/examples.ts';
import type { Operation } from '../docs/openapi/operation-list.ts';

const { app, send } = withWholeService();

/** As they stand in an address; each is well-formed UTF-8 once it is decoded. */
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

/** A request with the value at each place that the operation has one for. */
function* hostileTo(
  { path, params, querystring, operationId }: Operation,
  value: string,
): Generator<Hostile> {
  const [, query = ''] = (readExamples().get(operationId)?.request.path ?? '').split('?');
  const filled = (name?: string): string =>
    path.replaceAll(/\{(\w+)\}/g, (_all, other) => (other === name ? value : 'a'));
  for (const name of namesIn(params)) yield { name, url: `${filled(name)}${query && `?${query}`}` };
  for (const name of namesIn(querystring)) {
    const others = query.split('&').filter((pair) => pair !== '' && !pair.startsWith(`${name}=`));
    yield { name, url: `${filled()}?${[...others, `${name}=${value}`].join('&')}` };
  }
}

const namesIn = (schema: unknown): string[] =>
  Object.keys((schema as { properties?: object } | undefined)?.properties ?? {});

/** What holds of any answer to anything. */
function expectHarmless(answer: LightMyRequestResponse, asked: string): void {
  expect([200, 400, 404], `${asked} ${answer.statusCode} ${answer.body.slice(0, 300)}`).toContain(
    answer.statusCode,
  );
  expect(answer.headers['x-evil'], asked).toBeUndefined();
  expect(answer.headers['content-type'], asked).toBe('application/json; charset=utf-8');
  expect(answer.headers['x-content-type-options'], asked).toBe('nosniff');
  const body = answer.json();
  if (answer.statusCode !== 200) {
    expect(body, asked).toMatchObject({
      error: expect.stringMatching(/^[a-z_]+$/),
      hint: expect.any(String),
    });
    // What can be called again is an address, be it as odd as it may.
    if (body.next !== undefined) expect(URL.canParse(body.next), `${asked} ${body.next}`).toBe(true);
    expect(body.next ?? '', asked).not.toMatch(/[\s<>"\0]/);
  }
}

describe('an odd value', () => {
  it.each(HOSTILE)('is answered or refused wherever it stands: %.40s', async (value) => {
    const reads = app().operations.filter(({ method }) => method === 'get');
    let count = 0;
    for (const operation of reads) {
      for (const { name, url } of hostileTo(operation, value)) {
        const answer = await send({ url });
        expectHarmless(answer, `${operation.operationId} ${name} ${value.slice(0, 40)}`);
        count++;
      }
    }
    expect(count).toBeGreaterThan(60);
  });
});

describe('a parameter', () => {
  it('that is repeated without being a list is refused, and one of a list is taken', async () => {
    const repeated = await send({ url: '/api/v2/resolve?q=a&q=b' });
    expect(repeated.json()).toMatchObject({ error: 'invalid_query', param: 'q' });
    expect((await send({ url: '/api/v2/search?q=a&genre=Rock&genre=Jazz' })).statusCode).toBe(200);
  });

  it('in a flood of them is refused', async () => {
    const many = Array.from({ length: 1_500 }, (_, index) => `p${index}=1`).join('&');
    for (const url of [`/api/v2/surface?${many}`, `/api/v2/search?q=a&${many}`, `/api/v2/artists?${many}`])
      expect((await send({ url })).statusCode, url.slice(0, 40)).toBe(400);
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
  ])('that every object has is none of any route: %s', async (name) => {
    for (const url of ['/api/v2/surface', '/api/v2/artists', '/api/v2/aura', '/api/v2/search?q=a']) {
      const refused = await send({
        url: `${url}${url.includes('?') ? '&' : '?'}${encodeURIComponent(name)}=1`,
      });
      expect(refused.statusCode, url).toBe(400);
      expect(['invalid_query', 'invalid_facet'], url).toContain(refused.json().error);
    }
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
  ])('leads to no file and around no lock: %s', async (url) => {
    const refused = await app().inject(url);
    expect([400, 404], refused.body).toContain(refused.statusCode);
    expect(['not_found', 'malformed_request']).toContain(refused.json().error);
  });

  it('opens nothing by another spelling of it', async () => {
    for (const url of [
      '/API/v2/usage',
      '/api/v2/usage/',
      '/api/v2/usage%2f',
      '/api/v2/usage;a=b',
      '/api/v2/%75sage',
    ]) {
      const refused = await app().inject(url);
      expect([401, 404], url).toContain(refused.statusCode);
    }
  });
});

it('an id of a request that is more than a word is neither repeated nor kept', async () => {
  for (const id of ['a\tb', '<script>', 'a;b', 'x'.repeat(129), '$' + '{jndi:ldap://evil}', 'é']) {
    const answer = await app().inject({ url: '/nowhere', headers: { 'x-request-id': id } });
    expect(answer.headers['x-request-id'], id).toMatch(/^[0-9a-f-]{36}$/);
    expect(answer.body).not.toContain(id);
  }
});
