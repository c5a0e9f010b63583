import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { withQueryService } from '../../test/support/query/service.ts';

const { app, open, key, get } = withQueryService();
const CLUSTER = 'ab'.repeat(32);
const PLAYS = `/api/v2/surface/seen.radio_play_v1?cluster=${CLUSTER}`;

async function rejection(url: string): Promise<Record<string, unknown>> {
  const response = await get(url);
  expect(response.statusCode, url).toBe(400);
  return response.json();
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

  it.each(MALFORMED)('that is not UTF-8 is rejected on every route: %s', async (text) => {
    for (const url of [
      `/api/v2/resolve?q=${text}`,
      `/api/v2/search?q=${text}`,
      `/api/v2/tracks?title=${text}`,
      `/api/v2/artist/${CLUSTER}?fields=${text}`,
      `/api/v2/preview/artist?q=${text}`,
      `/api/v2/surface?${text}=1`,
      `/api/v2?a=b&c=${text}`,
    ])
      expect(await rejection(url), url).toMatchObject({
        error: 'malformed_request',
        message: expect.stringContaining('path or query'),
        hint: expect.stringContaining('%25'),
      });
  });

  it('counts as a request of the key if malformed, after the key is verified', async () => {
    expect((await get('/api/v2/resolve?q=%')).headers['x-ratelimit-remaining']).toMatch(/^\d+$/);
    expect((await app().inject('/api/v2/resolve?q=%')).json().error).toBe('missing_api_key');
  });

  it.each([
    ['a=David%20Bowie%25', { a: 'David Bowie%' }],
    ['a=%00', { a: '\0' }],
    ['a=%F0%9D%84%9E+b&%C3%A9=%2B', { a: '𝄞 b', é: '+' }],
    ['a=1&b=2&a=%33', { a: ['1', '3'], b: '2' }],
    ['a', { a: '' }],
    ['', {}],
  ])('that is well-formed is decoded: %s', async (query, decoded) => {
    const other = await open();
    other.get('/api/v2/echo', (request) => request.query);
    const response = await other.inject({ url: `/api/v2/echo?${query}`, headers: key() });
    expect(response.json()).toEqual(decoded);
  });

  it('of a NUL is passed to the route', async () => {
    expect((await rejection('/api/v2/preview/artist?q=%00')).error).toBe('invalid_query');
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

  it.each(NO_NUMERALS)('must be digits: %s', async (text) => {
    for (const url of [
      `${PLAYS}&limit=${text}`,
      `/api/v2/artists?limit=${text}`,
      `/api/v2/tracks?title=a&limit=${text}`,
      `/api/v2/breakouts?limit=${text}`,
      `/api/v2/tastemakers?limit=${text}`,
      `/api/v2/aura?limit=${text}`,
      `/api/v2/search?q=a&limit=${text}`,
    ])
      expect(await rejection(url), url).toMatchObject({
        error: 'invalid_query',
        param: 'limit',
        details: [{ path: 'limit', message: 'must be integer' }],
      });
  });

  it('that may be null must be digits too', async () => {
    for (const url of ['/api/v2/artists?offset=0x10', '/api/v2/search?q=a&offset=1e2'])
      expect(await rejection(url), url).toMatchObject({ error: 'invalid_query', param: 'offset' });
    expect((await get('/api/v2/artists?offset=')).json().error).not.toBe('invalid_query');
  });

  it('may have a sign', async () => {
    for (const text of ['7', '%2B7', '007'])
      expect((await get(`${PLAYS}&limit=${text}`)).statusCode, text).toBe(200);
    expect((await rejection(`${PLAYS}&limit=-7`)).details).toEqual([
      { path: 'limit', message: 'must be >= 1' },
    ]);
  });

  it('are rejected together with all other errors', async () => {
    expect((await rejection('/api/v2/artists?limit=0x10&sort=age')).details).toEqual([
      { path: 'sort', message: 'must be one of discovery, reach' },
      { path: 'limit', message: 'must be integer' },
    ]);
  });
});

describe('details', () => {
  it('list the allowed values of an enumeration and of alternatives', async () => {
    expect((await rejection('/api/v2/breakouts?tier=best')).details).toEqual([
      { path: 'tier', message: expect.stringMatching(/^must be one of breakout, rising\b/) },
    ]);
    expect((await rejection('/api/v2/search?q=a&genre_mode=xor')).details).toEqual([
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
  ])('report a repeated parameter once: %s', async (param, url) => {
    const body = await rejection(url);
    expect(body).toMatchObject({ error: 'invalid_query', param });
    expect(body.details).toEqual([{ path: param, message: 'is given more than once' }]);
  });
});

describe('unknown parameters', () => {
  const ROUTES = [
    '/api/v2',
    '/api/v2/openapi.json',
    '/api/v2/resolve?q=a',
    `/api/v2/artist/${CLUSTER}`,
    '/api/v2/dossier/artist/mono',
    '/api/v2/artists',
    '/api/v2/artist/mono/storefront/1',
    '/api/v2/artist/mono/master/1',
    '/api/v2/label/warp',
    '/api/v2/dossier/label/warp',
    '/api/v2/dossier/festival/dekmantel',
    '/api/v2/dossier/manifest',
    '/api/v2/facets',
    '/api/v2/tracks?title=a',
    '/api/v2/tracks/resolve?title=a',
    '/api/v2/aura',
    `/api/v2/aura/${CLUSTER}`,
    '/api/v2/tastemakers',
    '/api/v2/tastemakers/ones-to-watch',
    '/api/v2/breakouts',
    '/api/v2/surface',
    PLAYS,
    '/api/v2/semantics/dictionary',
    '/api/v2/semantics/dictionary.json',
    '/api/v2/preview/artist?q=a',
    '/api/v2/usage',
    '/status',
    '/health',
    '/ready',
  ];

  it.each(ROUTES)('are ignored and named: %s', async (url) => {
    const plain = await get(url);
    expect(plain.headers).not.toHaveProperty('x-linernotes-ignored');
    const response = await get(
      `${url}${url.includes('?') ? '&' : '?'}colour=red&gr%C3%B6%C3%9Fe=1&colour=blue`,
    );
    expect(response.statusCode, response.body).toBe(plain.statusCode);
    expect(response.headers['x-linernotes-ignored']).toBe('colour, gr%C3%B6%C3%9Fe');
    expect(String(response.headers['access-control-expose-headers'])).toContain('X-Linernotes-Ignored');
  });

  const POSTED: Readonly<Record<string, object>> = {
    '/api/v2/resolve/batch': { locators: [{ q: 'a' }] },
    '/api/v2/tracks/resolve': { tracks: [{ title: 'a' }] },
    '/api/v2/search-events/observed': {},
    '/api/v2/search-events/refined': {},
  };

  it.each(Object.entries(POSTED))('of a POST are ignored and named: %s', async (url, payload) => {
    const post = (path: string) => app().inject({ method: 'POST', url: path, headers: key(), payload });
    const plain = await post(url);
    expect(plain.headers).not.toHaveProperty('x-linernotes-ignored');
    const response = await post(`${url}?colour=red&gr%C3%B6%C3%9Fe=1`);
    expect(response.statusCode, response.body).toBe(plain.statusCode);
    expect(response.headers['x-linernotes-ignored']).toBe('colour, gr%C3%B6%C3%9Fe');
  });

  it.each([
    ['GET', ROUTES],
    ['POST', Object.keys(POSTED)],
  ])('are those of every %s of the API but search', (method, urls) => {
    const paths = app()
      .listedRoutes.filter(
        ({ path, methods, isUnlisted }) =>
          !isUnlisted && methods.includes(method) && path !== '/api/v2/search',
      )
      .map(({ path }) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`));
    for (const path of paths)
      expect(
        urls.some((url) => path.test(url.split('?', 1)[0] ?? '')),
        String(path),
      ).toBe(true);
  });

  it('are named beside the error that a misspelt one caused', async () => {
    const response = await get('/api/v2/tracks?titel=a');
    expect([response.statusCode, response.headers['x-linernotes-ignored']]).toEqual([400, 'titel']);
  });

  it('are named at most twenty at a time, each cut', async () => {
    const many = Array.from({ length: 30 }, (_, index) => `${index}${'x'.repeat(500)}=1`).join('&');
    const names = String((await get(`/api/v2/surface?${many}`)).headers['x-linernotes-ignored']).split(', ');
    expect([names.length, names[0]?.length]).toEqual([20, 100]);
    expect((await get('/api/v2/surface?__proto__=1')).headers['x-linernotes-ignored']).toBe('__proto__');
  });

  it('of a search are rejected with the filter that was meant', async () => {
    expect(await rejection('/api/v2/search?q=a&gnere=Rock')).toMatchObject({
      error: 'invalid_facet',
      message: 'Unknown search filter "gnere".',
      hint: expect.stringMatching(/^Did you mean genre\? /),
      next: expect.stringContaining('/api/v2/search?q=a&genre=Rock'),
    });
  });
});

describe('a cluster id that is none', () => {
  it.each([
    ['/api/v2/artist/%', 'invalid_artist_key'],
    ['/api/v2/dossier/artist/%', 'invalid_artist_key'],
    ['/api/v2/artist/%/storefront/1', 'invalid_artist_key'],
    ['/api/v2/artist/%/master/1', 'invalid_artist_key'],
    ['/api/v2/label/%', 'invalid_label_key'],
    ['/api/v2/dossier/label/%', 'invalid_label_key'],
    ['/api/v2/resolve?cluster=%', 'invalid_locator'],
  ])('is rejected with what is wrong: %s', async (url, error) => {
    for (const [id, message] of [
      [CLUSTER.slice(1), 'has 63 hex digits, and cluster ids have 64'],
      [`${CLUSTER}a`, 'has 65 hex digits, and cluster ids have 64'],
      [CLUSTER.toUpperCase(), 'has capital letters, and cluster ids are lower case'],
    ] as const)
      expect(await rejection(url.replace('%', id)), url).toMatchObject({
        error,
        message: expect.stringContaining(message),
      });
  });
});

it('long responses are compressed for clients that accept a coding, including errors', async () => {
  const vary = {
    '/api/v2/surface/none': 'Accept, Accept-Encoding',
    '/api/v2/semantics/dictionary': 'Accept, Accept-Encoding',
  } as Readonly<Record<string, string>>;
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
