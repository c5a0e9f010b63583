import { expect, it } from 'vitest';
import { createLinernotes, type Linernotes } from './create-linernotes.ts';

const CLUSTER = 'ab'.repeat(32);
const key = CLUSTER;
const slug = 'aphex-twin';
const event = { search_event_id: '0f0e0d0c-0b0a-4908-8706-050403020100', timestamp: '2026-01-01T00:00:00Z' };

type Call = (linernotes: Linernotes) => Promise<unknown>;
type Calls<Method extends 'get' | 'post'> = {
  readonly [Path in Parameters<Linernotes[Method]>[0] as `${Method} ${Path}`]: Call;
};

/** A call of every operation with what it takes: the compiler compares all of them with the document. */
const calls: Calls<'get'> & Calls<'post'> = {
  'get /api/v2': ({ get }) => get('/api/v2'),
  'get /api/v2/openapi.json': ({ get }) => get('/api/v2/openapi.json'),
  'get /api/v2/resolve': ({ get }) =>
    get('/api/v2/resolve', { params: { query: { artist: 'Aphex Twin', track: 'Xtal' } } }),
  'post /api/v2/resolve/batch': ({ post }) =>
    post('/api/v2/resolve/batch', {
      body: { locators: [{ q: 'Aphex Twin' }, { artist: 'Aphex Twin', track: 'Xtal' }, { catalog: '45' }] },
    }),
  'get /api/v2/artist/{key}': ({ get }) =>
    get('/api/v2/artist/{key}', { params: { path: { key }, query: { fields: 'identity' } } }),
  'get /api/v2/dossier/artist/{slug}': ({ get }) =>
    get('/api/v2/dossier/artist/{slug}', { params: { path: { slug }, query: { fields: 'identity' } } }),
  'get /api/v2/artists': ({ get }) =>
    get('/api/v2/artists', {
      params: {
        query: { genre: 'Rock', style: 'IDM', tier: 'rising', sort: 'reach', limit: 1, offset: null },
      },
    }),
  'get /api/v2/artist/{key}/storefront/{item}': ({ get }) =>
    get('/api/v2/artist/{key}/storefront/{item}', { params: { path: { key, item: '1' } } }),
  'get /api/v2/artist/{key}/master/{id}': ({ get }) =>
    get('/api/v2/artist/{key}/master/{id}', { params: { path: { key, id: '1' } } }),
  'get /api/v2/label/{key}': ({ get }) => get('/api/v2/label/{key}', { params: { path: { key } } }),
  'get /api/v2/dossier/label/{slug}': ({ get }) =>
    get('/api/v2/dossier/label/{slug}', { params: { path: { slug } } }),
  'get /api/v2/dossier/festival/{slug}': ({ get }) =>
    get('/api/v2/dossier/festival/{slug}', { params: { path: { slug } } }),
  'get /api/v2/dossier/manifest': ({ get }) => get('/api/v2/dossier/manifest'),
  'get /api/v2/search': ({ get }) =>
    get('/api/v2/search', {
      params: { query: { q: 'kid', genre: ['Rock', 'Pop'], genre_mode: 'and', year_from: 1990, nl: true } },
    }),
  'get /api/v2/facets': ({ get }) => get('/api/v2/facets'),
  'get /api/v2/tracks': ({ get }) =>
    get('/api/v2/tracks', { params: { query: { title: 'Xtal', fuzzy: true, source: 'all', limit: 1 } } }),
  'get /api/v2/tracks/resolve': ({ get }) =>
    get('/api/v2/tracks/resolve', { params: { query: { artist: 'a', title: 'b', want: ['duration'] } } }),
  'post /api/v2/tracks/resolve': ({ post }) =>
    post('/api/v2/tracks/resolve', {
      body: { want: ['duration'], tracks: [{ title: 'b' }, { artist: null, title: 'b', year: 1992 }] },
    }),
  'get /api/v2/aura': ({ get }) => get('/api/v2/aura', { params: { query: { limit: 1 } } }),
  'get /api/v2/aura/{cluster}': ({ get }) =>
    get('/api/v2/aura/{cluster}', { params: { path: { cluster: CLUSTER } } }),
  'get /api/v2/tastemakers': ({ get }) => get('/api/v2/tastemakers', { params: { query: { limit: 1 } } }),
  'get /api/v2/tastemakers/ones-to-watch': ({ get }) =>
    get('/api/v2/tastemakers/ones-to-watch', { params: { query: { limit: 1 } } }),
  'get /api/v2/breakouts': ({ get }) =>
    get('/api/v2/breakouts', {
      params: { query: { tier: 'rising', corroboration: 'corroborated', limit: 1 } },
    }),
  'get /api/v2/surface': ({ get }) => get('/api/v2/surface'),
  'get /api/v2/surface/{name}': ({ get }) =>
    get('/api/v2/surface/{name}', {
      params: { path: { name: 'seen.radio_play_v1' }, query: { cluster: CLUSTER, after: 'x', limit: 1 } },
    }),
  'get /api/v2/semantics/dictionary': ({ get }) => get('/api/v2/semantics/dictionary'),
  'get /api/v2/semantics/dictionary.json': ({ get }) => get('/api/v2/semantics/dictionary.json'),
  'get /api/v2/preview/artist': ({ get }) =>
    get('/api/v2/preview/artist', { params: { query: { q: 'Aphex Twin' } } }),
  'post /api/v2/search-events/observed': ({ post }) =>
    post('/api/v2/search-events/observed', { body: { ...event, source: 'cache' } }),
  'post /api/v2/search-events/refined': ({ post }) =>
    post('/api/v2/search-events/refined', {
      body: { ...event, changed_facets: [{ name: 'genre', from: [], to: 'Rock' }] },
    }),
  'get /api/v2/usage': ({ get }) => get('/api/v2/usage'),
  'get /status': ({ get }) => get('/status'),
  'get /health': ({ get }) => get('/health'),
  'get /ready': ({ get }) => get('/ready'),
};

it.each(Object.entries<Call>(calls))('calls %s', async (name, call) => {
  const sent: string[] = [];
  const linernotes = createLinernotes({
    baseUrl: 'https://api.example',
    fetch: async ({ method, url }) => {
      sent.push(`${method.toLowerCase()} ${new URL(url).pathname}`);
      return Response.json({});
    },
  });
  await call(linernotes);
  expect(sent).toEqual([expect.stringMatching(new RegExp(`^${name.replaceAll(/\{\w+\}/g, '[^/]+')}$`))]);
});

it('does not compile with a parameter or a member that an operation does not take', () => {
  const uncalled = ({ get, post }: Linernotes) => [
    // @ts-expect-error a locator has no such parameter
    post('/api/v2/resolve/batch', { body: { locators: [{ name: 'Aphex Twin' }] } }),
    // @ts-expect-error a track has a title
    post('/api/v2/tracks/resolve', { body: { tracks: [{ artist: 'Aphex Twin' }] } }),
    // @ts-expect-error no such tier
    get('/api/v2/artists', { params: { query: { tier: 'best' } } }),
  ];
  expect(uncalled).toBeTypeOf('function');
});
