import { gunzipSync } from 'node:zlib';
import { Value } from '@sinclair/typebox/value';
import type { LightMyRequestResponse } from 'fastify';
import pg from 'pg';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { catalogArtist } from '../../../projections/contracts/catalog/artist.ts';
import { artistIdentityBridge } from '../../../projections/contracts/seen/artist-identity-bridge.ts';
import { artistMomentum } from '../../../projections/contracts/seen/artist-momentum.ts';
import { performingEntity } from '../../../projections/contracts/seen/performing-entity.ts';
import { facets } from '../../../projections/models/artist/facets/index.ts';
import { artistProjection } from '../../../projections/models/artist/project.ts';
import { identityProjection } from '../../../projections/models/identity/project.ts';
import { closed } from '../../../test/support/http/closed-schema.ts';
import { BASE_URL } from '../../../test/support/query/app.ts';
import { withQueryService } from '../../../test/support/query/service.ts';
import { CATALOG_ID, CLUSTER, OTHER_CLUSTER, rowsOf } from '../../../test/support/rows/source-rows.ts';
import { fieldNames } from '../dossier/fields.ts';
import { ArtistResponseBody } from './route.ts';

const UNKNOWN = 'ab'.repeat(32);
const ENVELOPE = [
  'contract_version',
  'grain',
  'slug',
  'display',
  'id',
  'cluster_id',
  'resolved_via',
  '_links',
  'identity',
  'generated_at',
];

let now = Date.UTC(2026, 0, 1);

const service = withQueryService({
  rows: [
    rowsOf(catalogArtist, { name: 'Mono', slug: 'Mono' }),
    rowsOf(artistIdentityBridge, { catalog_artist_id_count: 1, is_exact: true }),
    rowsOf(
      performingEntity,
      { name: 'Mono (booked)', slug: 'mono', distinct_events: 40 },
      { cluster_id: OTHER_CLUSTER, name: 'Änne 東京', slug: 'Änne-東京', distinct_events: 3 },
    ),
    rowsOf(artistMomentum, { emergence_tier: 'rising' }),
  ],
  projections: [artistProjection, identityProjection],
  parts: { now: () => now },
});
afterEach(() => vi.restoreAllMocks());

const { get } = service;

describe('lanes', () => {
  it('returns a cluster id in the cluster lane', async () => {
    const response = await get(`/api/v2/artist/${CLUSTER}`);
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({
      grain: 'artist',
      id: null,
      cluster_id: CLUSTER,
      resolved_via: 'cluster',
      identity: { name: 'Mono (booked)', catalogArtistId: null },
      emergence: { state: 'present', signals: { emergenceTier: 'rising' } },
    });
  });

  it('returns a slug in the catalogue lane, in either case, on both routes', async () => {
    for (const path of ['/api/v2/artist/mono', '/api/v2/artist/MONO', '/api/v2/dossier/artist/mono']) {
      expect((await get(path)).json()).toMatchObject({
        slug: 'mono',
        display: 'Mono',
        id: CATALOG_ID,
        cluster_id: CLUSTER,
        resolved_via: 'catalog',
      });
    }
  });

  it('finds a slug beyond ASCII by its percent-encoded form', async () => {
    const response = await get(`/api/v2/artist/${encodeURIComponent('änne-東京')}`);
    expect(response.json()).toMatchObject({
      cluster_id: OTHER_CLUSTER,
      display: 'Änne 東京',
      slug: 'änne-東京',
    });
  });

  it('returns gaps for an unknown key and echoes the requested cluster id', async () => {
    for (const [requested, clusterId] of [
      [UNKNOWN, UNKNOWN],
      ['nobody-at-all', null],
      ['é'.repeat(200), null],
    ] as const) {
      const response = await get(`/api/v2/artist/${encodeURIComponent(requested)}`);
      expect(response.statusCode).toBe(200);
      const dossier = response.json();
      expect(dossier).toMatchObject({ identity: null, id: null, cluster_id: clusterId, citedMentions: [] });
      for (const { name } of facets) {
        if (name === 'identity' || name === 'citedMentions') continue;
        expect(dossier[name].state, name).toBe('honest_gap');
      }
      expect(dossier.provenance.length).toBeGreaterThan(facets.length);
      for (const entry of dossier.provenance) expect(entry.honestGapState).toBe('honest_gap');
    }
  });
});

it('sends exactly the members of the schema', async () => {
  const members = Object.keys(ArtistResponseBody.properties);
  for (const requested of [CLUSTER, 'mono', UNKNOWN, 'nobody']) {
    const dossier = (await get(`/api/v2/artist/${requested}`)).json();
    expect([...Value.Errors(closed(ArtistResponseBody), dossier)], requested).toEqual([]);
    // Only an unknown slug has candidates.
    const expected = members.filter((name) => name !== 'candidates' || requested === 'nobody');
    expect(Object.keys(dossier).toSorted(), requested).toEqual(expected.toSorted());
  }
});

describe('candidates of an unknown slug', () => {
  const CANDIDATE = { cluster_id: CLUSTER, name: 'Mono (booked)', tier: 'cluster', distinct_events: 40 };

  it('are artists with similar names, on both routes, whatever fields are selected', async () => {
    for (const path of [
      'artist/mono-boked',
      'dossier/artist/Mono-Boked',
      'artist/mono-boked?fields=emergence',
    ]) {
      const dossier = (await get(`/api/v2/${path}`)).json();
      expect(dossier).toMatchObject({ identity: null, candidates: [CANDIDATE] });
    }
    expect((await get('/api/v2/artist/zzzz')).json().candidates).toEqual([]);
  });

  it('are empty if they cannot be looked up', async () => {
    const query = service.pool.query.bind(service.pool) as (...given: unknown[]) => unknown;
    vi.spyOn(service.pool, 'query').mockImplementation(((...given: unknown[]) =>
      (given[0] as { name?: string }).name === 'identity-candidates'
        ? Promise.reject(new Error('too slow'))
        : query(...given)) as never);
    const response = await get('/api/v2/artist/mono-boked');
    expect([response.statusCode, response.json().candidates]).toEqual([200, []]);
  });
});

describe('coding', () => {
  it('sends gzip to clients that accept it and plain JSON to others', async () => {
    const zipped = await get(`/api/v2/artist/${CLUSTER}`, { 'accept-encoding': 'br, gzip' });
    const plain = await get(`/api/v2/artist/${CLUSTER}`, { 'accept-encoding': 'br, gzip;q=0' });
    expect(zipped.headers['content-encoding']).toBe('gzip');
    expect(plain.headers['content-encoding']).toBeUndefined();
    for (const response of [zipped, plain]) {
      expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(response.headers.vary).toBe('Accept-Encoding');
      expect(response.headers['content-length']).toBe(String(response.rawPayload.length));
    }
    expect(gunzipSync(zipped.rawPayload).toString()).toBe(plain.body);
  });

  it('contains the time of serving', async () => {
    expect((await get('/api/v2/artist/mono')).json().generated_at).toBe('2026-01-01T00:00:00Z');
    now += 1_500;
    expect((await get('/api/v2/artist/mono')).json().generated_at).toBe('2026-01-01T00:00:01Z');
  });

  it('responds to HEAD with the headers of GET and no body', async () => {
    const head = await service
      .app()
      .inject({ method: 'HEAD', url: '/api/v2/artist/mono', headers: service.key() });
    const got = await get('/api/v2/artist/mono');
    expect(head.statusCode).toBe(200);
    expect(head.rawPayload).toHaveLength(0);
    for (const name of ['content-length', 'content-type', 'etag', 'vary'])
      expect(head.headers[name], name).toBe(got.headers[name]);
  });

  it('sends no length with a 304 to HEAD', async () => {
    const { etag } = (await get('/api/v2/artist/mono')).headers;
    const headers = { ...service.key(), 'if-none-match': String(etag) };
    const head = await service.app().inject({ method: 'HEAD', url: '/api/v2/artist/mono', headers });
    expect([head.statusCode, head.headers['content-length'], head.headers.etag]).toEqual([
      304,
      undefined,
      etag,
    ]);
  });
});

describe('fields', () => {
  const membersOf = (response: LightMyRequestResponse): string[] => Object.keys(response.json());

  it('keeps the envelope and the requested facets, in the order of the dossier', async () => {
    const response = await get('/api/v2/artist/mono?fields=brokerage,%20emergence');
    expect(response.statusCode).toBe(200);
    expect(membersOf(response).toSorted()).toEqual([...ENVELOPE, 'emergence', 'brokerage'].toSorted());
    expect(membersOf(response).filter((name) => !ENVELOPE.includes(name))).toEqual([
      'emergence',
      'brokerage',
    ]);
  });

  it('keeps every value of the whole dossier', async () => {
    const whole = (await get('/api/v2/artist/mono')).json();
    for (const name of fieldNames) {
      const response = await get(`/api/v2/dossier/artist/mono?fields=${name}`);
      expect(membersOf(response)).toContain(name);
      for (const [member, value] of Object.entries(response.json()))
        expect(value, member).toEqual(whole[member]);
    }
  });

  it('compresses a selection only if that saves packets', async () => {
    const gzip = { 'accept-encoding': 'gzip' };
    const small = await get('/api/v2/artist/mono?fields=identity', gzip);
    const large = await get('/api/v2/artist/mono?fields=provenance', gzip);
    expect(small.headers['content-encoding']).toBeUndefined();
    expect(large.headers['content-encoding']).toBe('gzip');
    expect(JSON.parse(gunzipSync(large.rawPayload).toString()).provenance).not.toHaveLength(0);
  });

  it('rejects unknown facets with the valid names and a working example', async () => {
    for (const fields of ['nope', 'emergence,nope', '', 'emergence,', ',', 'slug', 'Emergence']) {
      const rejected = await get(`/api/v2/artist/mono?fields=${fields}`);
      expect(rejected.statusCode, fields).toBe(400);
      const { error, param, hint, next } = rejected.json();
      expect({ error, param }).toEqual({ error: 'invalid_fields', param: 'fields' });
      for (const name of fieldNames) expect(hint).toContain(name);
      expect(next.startsWith(`${BASE_URL}/api/v2/artist/mono?fields=`)).toBe(true);
      expect((await get(next.slice(BASE_URL.length))).statusCode).toBe(200);
    }
  });
});

describe('validators', () => {
  const etagOf = async (url: string): Promise<string> => String((await get(url)).headers.etag);

  it('return 304 to a client that has the dossier', async () => {
    const etag = await etagOf('/api/v2/artist/mono');
    expect(etag).toMatch(/^W\/"[0-9a-f]{32}-[0-9a-f]{8}"$/);
    now += 60_000;
    for (const given of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
      const response = await get('/api/v2/artist/mono', { 'if-none-match': given });
      expect(response.statusCode, given).toBe(304);
      expect(response.rawPayload).toHaveLength(0);
      expect(response.headers).toMatchObject({
        etag,
        vary: 'Accept-Encoding',
        'cache-control': 'private, no-cache',
      });
      expect(response.headers['x-ratelimit-limit']).toBe('60000');
    }
    expect((await get('/api/v2/artist/mono', { 'if-none-match': '"other"' })).statusCode).toBe(200);
  });

  it('differ by dossier and selection but not by the order of a selection', async () => {
    const tags = [
      await etagOf('/api/v2/artist/mono'),
      await etagOf(`/api/v2/artist/${CLUSTER}`),
      await etagOf('/api/v2/artist/mono?fields=emergence'),
      await etagOf('/api/v2/artist/mono?fields=emergence,brokerage'),
      await etagOf('/api/v2/artist/nobody'),
      await etagOf('/api/v2/artist/nobody-else'),
    ];
    expect(new Set(tags).size).toBe(tags.length);
    expect(await etagOf('/api/v2/artist/mono?fields=brokerage,emergence')).toBe(tags[3]);
    expect(await etagOf('/api/v2/dossier/artist/mono')).toBe(tags[0]);
  });

  it('change when a source becomes stale, which the dossier shows', async () => {
    const staleTables = async (): Promise<string[]> => {
      const { provenance } = (await get('/api/v2/artist/mono')).json();
      const stale = provenance.filter((entry: { stale: boolean }) => entry.stale);
      return stale.map((entry: { sourceTable: string }) => entry.sourceTable);
    };
    const fresh = await etagOf('/api/v2/artist/mono');
    expect(await staleTables()).toEqual([]);
    service.setStale(artistMomentum);
    expect(await etagOf('/api/v2/artist/mono')).not.toBe(fresh);
    expect(await staleTables()).toEqual(['seen.artist_momentum', 'seen.artist_momentum']);
    service.setStale();
    expect(await etagOf('/api/v2/artist/mono')).toBe(fresh);
  });
});

it('runs one statement per dossier, by cluster id and by slug', async () => {
  const statements = vi.spyOn(pg.Client.prototype, 'query');
  for (const path of [
    `/api/v2/artist/${CLUSTER}`,
    '/api/v2/artist/mono',
    '/api/v2/dossier/artist/mono?fields=identity',
    `/api/v2/artist/${UNKNOWN}`,
  ]) {
    statements.mockClear();
    expect((await get(path)).statusCode).toBe(200);
    expect(statements, path).toHaveBeenCalledTimes(1);
  }
});

it('runs one statement for dossiers requested concurrently', async () => {
  const statements = vi.spyOn(pg.Client.prototype, 'query');
  const responses = await Promise.all([1, 2, 3, 4].map(() => get('/api/v2/artist/mono')));
  expect(responses.map((response) => response.statusCode)).toEqual([200, 200, 200, 200]);
  expect(statements.mock.calls.length).toBeLessThan(4);
});

describe('invalid keys', () => {
  const MBID = '0f0e0d0c-0b0a-4908-8706-050403020100';

  it.each([
    ['catalog:12', 'catalog=12'],
    ['Catalog:012', 'catalog=012'],
    [`mbid:${MBID}`, `mbid=${MBID}`],
    [`MBID:${MBID.toUpperCase()}`, `mbid=${MBID}`],
  ])('direct %s to resolve', async (locator, query) => {
    for (const [path, param] of [
      ['/api/v2/artist', 'key'],
      ['/api/v2/dossier/artist', 'slug'],
    ]) {
      for (const requested of [locator, encodeURIComponent(locator)]) {
        const rejected = await get(`${path}/${requested}`);
        expect(rejected.statusCode).toBe(400);
        expect(rejected.json()).toMatchObject({
          error: 'use_resolve_for_locator',
          param,
          next: `${BASE_URL}/api/v2/resolve?${query}`,
          doc_url: `${BASE_URL}/docs/api#error-use_resolve_for_locator`,
        });
      }
    }
  });

  it.each([
    ['an empty key', ''],
    ['blanks', '%20%20'],
    ['another scheme', 'streaming:abc'],
    ['a catalogue locator without a number', 'catalog:r12'],
    ['a malformed mbid', 'mbid:12'],
    ['201 characters', 'a'.repeat(201)],
    ['201 characters beyond ASCII', encodeURIComponent('🎧'.repeat(201))],
    ['thousands of characters', 'a'.repeat(6_000)],
    ['NUL', 'a%00b'],
    ['a line end', 'a%0Ab'],
    ['DEL', 'a%7Fb'],
    ['a slash', 'a%2Fb'],
    ['percent-encoding cut short', 'a%2'],
    ['bytes that are not UTF-8', '%FF'],
    ['an encoded surrogate', '%ED%A0%80'],
  ])('are rejected: %s', async (_name, requested) => {
    for (const path of ['/api/v2/artist', '/api/v2/dossier/artist']) {
      const rejected = await get(`${path}/${requested}`);
      expect(rejected.statusCode).toBe(400);
      expect(rejected.json()).toMatchObject({
        error: 'invalid_artist_key',
        message: expect.any(String),
        hint: expect.stringContaining('/api/v2/resolve'),
        doc_url: `${BASE_URL}/docs/api#error-invalid_artist_key`,
      });
      expect(rejected.headers['access-control-allow-origin']).toBe('*');
      expect(rejected.headers['x-request-id']).toBeTruthy();
    }
  });
});
