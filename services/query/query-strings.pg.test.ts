import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyHeader, queryApp } from '../../test/query-app.ts';
import { withDatabase } from '../../test/services/database.ts';

const { pool } = withDatabase();
const CLUSTER = 'ab'.repeat(32);
const PLAYS = `/api/v2/surface/seen.radio_play_v1?cluster=${CLUSTER}`;
let app: FastifyInstance;
let key: { 'x-api-key': string };

beforeAll(async () => {
  app = await queryApp(pool);
  app.get('/api/v2/echo', (request) => request.query);
  key = await keyHeader(pool);
});
afterAll(() => app.close());

const get = (url: string, headers: Record<string, string> = {}): Promise<LightMyRequestResponse> =>
  app.inject({ url, headers: { ...key, ...headers } });
async function refusal(url: string): Promise<Record<string, unknown>> {
  const answer = await get(url);
  expect(answer.statusCode, url).toBe(400);
  return answer.json();
}

describe('percent-encoding', () => {
  const MALFORMED = [
    '%',
    '%f',
    '%ff',
    '%zz',
    'David%20Bowie%',
    '%ED%A0%80',
    '%C0%80',
    '%E4%B8',
    '%F4%90%80%80',
  ];

  it.each(MALFORMED)('that is no UTF-8 is refused on every route: %s', async (text) => {
    for (const url of [
      `/api/v2/resolve?q=${text}`,
      `/api/v2/search?q=${text}`,
      `/api/v2/tracks?title=${text}`,
      `/api/v2/artist/${CLUSTER}?fields=${text}`,
      `/api/v2/preview/artist?q=${text}`,
      `/api/v2/surface?${text}=1`,
      `/api/v2?a=b&c=${text}`,
    ])
      expect(await refusal(url), url).toMatchObject({
        error: 'malformed_request',
        message: expect.stringContaining('path or query'),
        hint: expect.stringContaining('%25'),
      });
  });

  it('counts as a request of the key, after the key itself', async () => {
    expect((await get('/api/v2/resolve?q=%')).headers['x-ratelimit-remaining']).toMatch(/^\d+$/);
    expect((await app.inject('/api/v2/resolve?q=%')).json().error).toBe('missing_api_key');
  });

  it.each([
    ['a=David%20Bowie%25', { a: 'David Bowie%' }],
    ['a=%00', { a: '\0' }],
    ['a=%F0%9D%84%9E+b&%C3%A9=%2B', { a: '𝄞 b', é: '+' }],
    ['a=1&b=2&a=%33', { a: ['1', '3'], b: '2' }],
    ['a', { a: '' }],
    ['', {}],
  ])('that is well-formed is decoded: %s', async (query, decoded) => {
    expect((await get(`/api/v2/echo?${query}`)).json()).toEqual(decoded);
  });

  it('of a NUL is for the route to judge', async () => {
    expect((await refusal('/api/v2/preview/artist?q=%00')).error).toBe('invalid_query');
  });
});

describe('integers', () => {
  const NO_NUMERALS = [
    '0x10',
    '0b11',
    '0o7',
    '1e2',
    '%0a7%09',
    '+7',
    '%20',
    '1e400',
    '7.0',
    '%2B%2B7',
    'Infinity',
  ];

  it.each(NO_NUMERALS)('are written in digits: %s', async (text) => {
    for (const url of [
      `${PLAYS}&limit=${text}`,
      `/api/v2/artists?limit=${text}`,
      `/api/v2/tracks?title=a&limit=${text}`,
      `/api/v2/breakouts?limit=${text}`,
      `/api/v2/tastemakers?limit=${text}`,
      `/api/v2/aura?limit=${text}`,
      `/api/v2/search?q=a&limit=${text}`,
    ])
      expect(await refusal(url), url).toMatchObject({
        error: 'invalid_query',
        param: 'limit',
        details: [{ path: 'limit', message: 'must be integer' }],
      });
  });

  it('that may be null are written in digits too', async () => {
    for (const url of ['/api/v2/artists?offset=0x10', '/api/v2/search?q=a&offset=1e2'])
      expect(await refusal(url), url).toMatchObject({ error: 'invalid_query', param: 'offset' });
    expect((await get('/api/v2/artists?offset=')).json().error).not.toBe('invalid_query');
  });

  it('may have a sign', async () => {
    for (const text of ['7', '%2B7', '007'])
      expect((await get(`${PLAYS}&limit=${text}`)).statusCode, text).toBe(200);
    expect((await refusal(`${PLAYS}&limit=-7`)).details).toEqual([
      { path: 'limit', message: 'must be >= 1' },
    ]);
  });

  it('are refused beside all else at fault', async () => {
    expect((await refusal('/api/v2/artists?limit=0x10&sort=age&page=2')).details).toEqual([
      { path: 'page', message: 'is not a parameter of this route' },
      { path: 'sort', message: 'must be one of discovery, reach' },
      { path: 'limit', message: 'must be integer' },
    ]);
  });
});

describe('details', () => {
  it('name the values of a list, be they an enumeration or alternatives', async () => {
    expect((await refusal('/api/v2/breakouts?tier=best')).details).toEqual([
      { path: 'tier', message: expect.stringMatching(/^must be one of breakout, rising\b/) },
    ]);
    expect((await refusal('/api/v2/search?q=a&genre_mode=xor')).details).toEqual([
      { path: 'genre_mode', message: 'must be one of and, or' },
    ]);
  });

  it.each([
    ['limit', `${PLAYS}&limit=1&limit=2`],
    ['cluster', `${PLAYS}&cluster=${CLUSTER}`],
    ['sort', '/api/v2/artists?sort=reach&sort=reach'],
    ['genre_mode', '/api/v2/search?q=a&genre_mode=and&genre_mode=or'],
    ['offset', '/api/v2/artists?offset=1&offset=1'],
    ['fuzzy', '/api/v2/tracks?title=a&fuzzy=true&fuzzy=true'],
    ['q', '/api/v2/resolve?q=a&q=b'],
  ])('say once that a parameter is given more than once: %s', async (param, url) => {
    const refused = await refusal(url);
    expect(refused).toMatchObject({ error: 'invalid_query', param });
    expect(refused.details).toEqual([{ path: param, message: 'is given more than once' }]);
  });
});

it('long answers go out compressed to who takes a coding, errors included', async () => {
  const vary = { '/api/v2/surface/none': 'Accept, Accept-Encoding' } as Readonly<Record<string, string>>;
  for (const url of ['/api/v2', '/api/v2/surface', '/api/v2/semantics/dictionary', '/api/v2/surface/none']) {
    const plain = await get(url);
    for (const [coding, inflate] of [
      ['gzip', gunzipSync],
      ['br', brotliDecompressSync],
    ] as const) {
      const coded = await get(url, { 'accept-encoding': coding });
      expect([plain.headers['content-encoding'], coded.headers['content-encoding']]).toEqual([
        undefined,
        coding,
      ]);
      for (const { headers } of [plain, coded]) expect(headers.vary).toBe(vary[url] ?? 'Accept-Encoding');
      const withoutTime = (text: string) => text.replace(/"generated_at":"[^"]+"/, '');
      expect(withoutTime(inflate(coded.rawPayload).toString())).toBe(withoutTime(plain.body));
      expect(coded.rawPayload.length).toBeLessThan(plain.rawPayload.length / 2);
    }
  }
});
