import { afterEach, describe, expect, it, vi } from 'vitest';
import { catalogArtist } from '../../../projections/contracts/catalog/artist.ts';
import { mbRecording } from '../../../projections/contracts/mb/recording.ts';
import { clusterAuthorityIdsV1 } from '../../../projections/contracts/mirror/cluster-authority-ids-v1.ts';
import { artistIdentityBridge } from '../../../projections/contracts/seen/artist-identity-bridge.ts';
import { performingEntity } from '../../../projections/contracts/seen/performing-entity.ts';
import { clusterOf } from '../../../test/support/projections/artists.ts';
import { BASE_URL } from '../../../test/support/query/app.ts';
import { UNRESOLVED, withResolve } from '../../../test/support/query/resolve-service.ts';
import { CATALOG_ID, CLUSTER, rowsOf } from '../../../test/support/rows/source-rows.ts';

const MBID = '0f0e0d0c-0b0a-4908-8706-050403020100';

const service = withResolve(
  rowsOf(catalogArtist, { name: 'Mono', slug: 'mono' }),
  rowsOf(artistIdentityBridge, { catalog_artist_id_count: 1, is_exact: true, mbid: MBID }),
  rowsOf(clusterAuthorityIdsV1, { scheme: 'storefront', value: 'mono', verified: true }),
  rowsOf(
    performingEntity,
    { name: 'Mono', slug: 'mono' },
    ...[1, 2, 3, 4, 5, 6, 7].map((number) => ({
      cluster_id: clusterOf(number),
      name: `Monolake ${number}`,
      slug: `monolake-${number}`,
      distinct_events: number,
    })),
  ),
  rowsOf(mbRecording, {
    artist_cluster_id: CLUSTER,
    artist_credit: 'Mono',
    title: 'Halcyon',
    isrcs: ['USRC17607839'],
  }),
);
const { batch, post, resolve } = service;

/** One resolved locator and one unresolved locator of each kind. */
const HITS: readonly Readonly<Record<string, string>>[] = [
  { url: 'https://mono.bandcamp.com' },
  { url: 'https://twitter.com/mono' },
  { q: 'MONO' },
  { cluster: CLUSTER },
  { catalog: String(CATALOG_ID) },
  { mbid: MBID },
  { isrc: 'US-RC1-76-07839' },
  { artist: 'mono', track: 'halcyon!' },
];
const MISSES: readonly Readonly<Record<string, string>>[] = [
  { url: 'https://nobody.bandcamp.com' },
  { url: 'https://nobody.example' },
  { url: 'https://bit.ly/x' },
  { q: 'monolake' },
  { q: '???' },
  { cluster: 'ab'.repeat(32) },
  { catalog: 'r123' },
  { mbid: 'ffffffff-ffff-4fff-8fff-ffffffffffff' },
  { isrc: 'USRC17607838' },
  { artist: 'mono', track: 'halycon' },
];
const FAULTS: readonly (readonly [requested: object, error: string, param: string | undefined])[] = [
  [{}, 'missing_locator', undefined],
  [{ q: ' ' }, 'missing_locator', undefined],
  [{ q: null }, 'missing_locator', undefined],
  [{ name: 'mono' }, 'missing_locator', undefined],
  [{ q: 'a', cluster: CLUSTER }, 'invalid_locator', 'cluster'],
  [{ artist: 'mono' }, 'invalid_locator', 'track'],
  [{ isrc: 'none' }, 'invalid_locator', 'isrc'],
  [{ url: 'no link' }, 'invalid_locator', 'url'],
  [{ q: 'a', name: 'b' }, 'invalid_query', 'name'],
  [{ q: { toString: 1 } }, 'invalid_query', 'q'],
  [{ q: ['a', 'b'] }, 'invalid_query', 'q'],
];

afterEach(() => vi.restoreAllMocks());

describe('a batch', () => {
  it('resolves each locator as a single request does, in order', async () => {
    const requested = [...HITS, ...MISSES];
    const alone: object[] = [];
    for (const query of requested) alone.push(await resolve(query));
    expect(await batch(requested)).toEqual(alone.map((response, index) => ({ index, ...response })));
  });

  it('finds every kind of locator', async () => {
    const results = await batch(HITS);
    expect(results.map(({ cluster_id }) => cluster_id)).toEqual(HITS.map(() => CLUSTER));
    expect(results.map(({ matched_on }) => matched_on)).toEqual([
      'storefront',
      'name',
      'name',
      'cluster',
      'catalog',
      'mbid',
      'isrc',
      'artist_track',
    ]);
  });

  it('has candidates for each name without a cluster', async () => {
    const [near, far, own] = await batch([{ q: 'monolake' }, { q: 'zzzz' }, { q: 'mono' }]);
    expect(near).toMatchObject({
      ...UNRESOLVED,
      candidates: [7, 6, 5, 4, 3].map((number) => ({
        cluster_id: clusterOf(number),
        name: `Monolake ${number}`,
        tier: 'cluster',
        distinct_events: number,
      })),
    });
    expect(far).toMatchObject({ ...UNRESOLVED, candidates: [] });
    expect(own).not.toHaveProperty('candidates');
  });

  it('rejects a locator on its own, with the error of a single request', async () => {
    const results = await batch([{ q: 'mono' }, ...FAULTS.map(([requested]) => requested), { q: 'mono' }]);
    expect(results.at(0)).toMatchObject({ index: 0, cluster_id: CLUSTER });
    expect(results.at(-1)).toMatchObject({ index: FAULTS.length + 1, cluster_id: CLUSTER });
    for (const [at, [requested, error, param]] of FAULTS.entries()) {
      expect(results[at + 1], JSON.stringify(requested)).toMatchObject({
        index: at + 1,
        error,
        ...(param === undefined ? {} : { param }),
        message: expect.stringMatching(/\.$/),
        hint: expect.stringMatching(/\.$/),
        doc_url: `${BASE_URL}/docs/api#error-${error}`,
      });
      expect(results[at + 1]).not.toHaveProperty('cluster_id');
    }
  });

  it('accepts a number for its digits, as a query does', async () => {
    expect(await batch([{ catalog: CATALOG_ID }])).toMatchObject([{ cluster_id: CLUSTER }]);
  });

  it('of 100 runs no more statements than one of each kind', async () => {
    const kinds = [...HITS, ...MISSES, ...FAULTS.map(([requested]) => requested)];
    const requested = Array.from({ length: 100 }, (_, index) => kinds[index % kinds.length]);
    const query = vi.spyOn(service.pool, 'query');
    const results = await batch(requested);
    expect(results.map(({ index }) => index)).toEqual(requested.map((_, index) => index));
    const statements = query.mock.calls.map(([given]) => (given as { name?: string }).name);
    expect(statements.sort()).toEqual([
      'identity-candidates',
      'identity-lookup-candidates',
      'recording-performers',
    ]);
  });

  it('can have 100 different names', async () => {
    const results = await batch(Array.from({ length: 100 }, (_, number) => ({ q: `monolake ${number}` })));
    expect(results.flatMap(({ index, slug }) => (slug === null ? [] : [[index, slug]]))).toEqual(
      [1, 2, 3, 4, 5, 6, 7].map((number) => [number, `monolake-${number}`]),
    );
  });
});

describe('a whole batch is rejected', () => {
  it.each([
    ['{}', 'invalid_query', 'locators'],
    ['[]', 'invalid_query', undefined],
    ['null', 'invalid_query', undefined],
    ['{"locators": []}', 'invalid_query', 'locators'],
    ['{"locators": {"q": "a"}}', 'invalid_query', 'locators'],
    ['{"locators": ["mono"]}', 'invalid_query', 'locators.0'],
    ['{"locators": [{"q": "a"}, null]}', 'invalid_query', 'locators.1'],
    ['{"locators": [[]]}', 'invalid_query', 'locators.0'],
    ['{"locators": [{"q": "a"}], "want": 1}', 'invalid_query', 'want'],
    [JSON.stringify({ locators: Array(101).fill({ q: 'a' }) }), 'invalid_query', 'locators'],
    ['{"locators": [{"q": "a"}', 'invalid_json', undefined],
    ['{"locators": [{"__proto__": {"q": "a"}}]}', 'invalid_json', undefined],
    ['', 'invalid_json', undefined],
  ])('if its body is malformed: %s', async (payload, error, param) => {
    const response = await post(payload);
    expect(response.statusCode, response.body).toBe(400);
    expect(response.json()).toMatchObject({ error, ...(param === undefined ? {} : { param }) });
  });

  it('if it is not JSON, too large, or without an API key', async () => {
    expect(
      (await post('q=mono', { 'content-type': 'application/x-www-form-urlencoded' })).json(),
    ).toMatchObject({
      error: 'unsupported_media_type',
    });
    const large = await post({ locators: [{ q: 'a'.repeat(300_000) }] });
    expect([large.statusCode, large.json().error]).toEqual([413, 'payload_too_large']);
    const keyless = await post({ locators: [{ q: 'a' }] }, { 'x-api-key': '' });
    expect([keyless.statusCode, keyless.json().error]).toEqual([401, 'missing_api_key']);
  });
});
