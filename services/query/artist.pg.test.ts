import { gunzipSync } from 'node:zlib';
import { FormatRegistry } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { facets } from '../../projections/artist/facets/index.ts';
import { artistProjection } from '../../projections/artist/project.ts';
import { registerSources } from '../../projections/registry.ts';
import { catalogArtist } from '../../projections/sources/catalog/artist.ts';
import { artistIdentityBridge } from '../../projections/sources/seen/artist-identity-bridge.ts';
import { artistMomentum } from '../../projections/sources/seen/artist-momentum.ts';
import { performingEntity } from '../../projections/sources/seen/performing-entity.ts';
import { fillMirror } from '../../test/fill-mirror.ts';
import { BASE_URL, keyHeader, queryApp } from '../../test/query-app.ts';
import { CATALOG_ID, CLUSTER, OTHER_CLUSTER, rowsOf } from '../../test/rows/source-rows.ts';
import { withDatabase } from '../../test/services/database.ts';
import { rebuild } from '../../workers/project/build-version.ts';
import { ArtistDossierBody } from './schemas/artist.ts';
import { fieldNames } from './serving/fields.ts';
import { type Staleness, stalenessOf } from './serving/staleness.ts';

const { pool } = withDatabase();
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

let app: FastifyInstance;
let key: { 'x-api-key': string };
let now = Date.UTC(2026, 0, 1);
let staleness: Staleness = stalenessOf([]);
let momentumId = 0;

beforeAll(async () => {
  const registry = await registerSources(pool);
  momentumId = registry.idOf(artistMomentum);
  await fillMirror(pool, registry, [
    rowsOf(catalogArtist, { name: 'Mono', slug: 'Mono' }),
    rowsOf(artistIdentityBridge, { catalog_artist_id_count: 1, is_exact: true }),
    rowsOf(
      performingEntity,
      { name: 'Mono (booked)', slug: 'mono', distinct_events: 40 },
      { cluster_id: OTHER_CLUSTER, name: 'Änne 東京', slug: 'Änne-東京', distinct_events: 3 },
    ),
    rowsOf(artistMomentum, { emergence_tier: 'rising' }),
  ]);
  await rebuild(pool, artistProjection, registry);
  app = await queryApp(pool, { now: () => now, staleness: () => staleness });
  key = await keyHeader(pool);
  await get(`/api/v2/artist/${CLUSTER}`);
});
afterAll(() => app.close());
afterEach(() => {
  vi.restoreAllMocks();
  staleness = stalenessOf([]);
});

const get = (url: string, headers: Record<string, string> = {}): Promise<LightMyRequestResponse> =>
  app.inject({ url, headers: { ...key, ...headers } });

describe('lanes', () => {
  it('answers a cluster id in the cluster lane, in either case', async () => {
    for (const id of [CLUSTER, CLUSTER.toUpperCase()]) {
      const answer = await get(`/api/v2/artist/${id}`);
      expect(answer.statusCode).toBe(200);
      expect(answer.json()).toMatchObject({
        grain: 'artist',
        id: null,
        cluster_id: CLUSTER,
        resolved_via: 'cluster',
        identity: { name: 'Mono (booked)', catalogArtistId: null },
        emergence: { state: 'present', signals: { emergenceTier: 'rising' } },
      });
    }
  });

  it('answers a slug in the catalogue lane, in either case, on both routes', async () => {
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
    const answer = await get(`/api/v2/artist/${encodeURIComponent('änne-東京')}`);
    expect(answer.json()).toMatchObject({
      cluster_id: OTHER_CLUSTER,
      display: 'Änne 東京',
      slug: 'änne-東京',
    });
  });

  it('answers an unknown key with gaps, and echoes the cluster id that was asked', async () => {
    for (const [asked, clusterId] of [
      [UNKNOWN.toUpperCase(), UNKNOWN],
      ['nobody-at-all', null],
      ['é'.repeat(200), null],
    ] as const) {
      const answer = await get(`/api/v2/artist/${encodeURIComponent(asked)}`);
      expect(answer.statusCode).toBe(200);
      const dossier = answer.json();
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

it('sends what the schema declares, and nothing else', async () => {
  for (const format of ['date-time', 'date', 'uuid']) FormatRegistry.Set(format, () => true);
  const members = Object.keys(ArtistDossierBody.properties);
  for (const asked of [CLUSTER, 'mono', UNKNOWN, 'nobody']) {
    const dossier = (await get(`/api/v2/artist/${asked}`)).json();
    expect([...Value.Errors(ArtistDossierBody, dossier)], asked).toEqual([]);
    expect(Object.keys(dossier).toSorted(), asked).toEqual(members.toSorted());
  }
});

describe('coding', () => {
  it('sends gzip to those who take it, and plain JSON to the rest', async () => {
    const zipped = await get(`/api/v2/artist/${CLUSTER}`, { 'accept-encoding': 'br, gzip' });
    const plain = await get(`/api/v2/artist/${CLUSTER}`, { 'accept-encoding': 'br, gzip;q=0' });
    expect(zipped.headers['content-encoding']).toBe('gzip');
    expect(plain.headers['content-encoding']).toBeUndefined();
    for (const answer of [zipped, plain]) {
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(answer.headers.vary).toBe('Accept-Encoding');
      expect(answer.headers['content-length']).toBe(String(answer.rawPayload.length));
    }
    expect(gunzipSync(zipped.rawPayload).toString()).toBe(plain.body);
  });

  it('says when the dossier was served', async () => {
    expect((await get('/api/v2/artist/mono')).json().generated_at).toBe('2026-01-01T00:00:00Z');
    now += 1_500;
    expect((await get('/api/v2/artist/mono')).json().generated_at).toBe('2026-01-01T00:00:01Z');
  });

  it('answers HEAD with the headers of GET and no body', async () => {
    const head = await app.inject({ method: 'HEAD', url: '/api/v2/artist/mono', headers: key });
    const got = await get('/api/v2/artist/mono');
    expect(head.statusCode).toBe(200);
    expect(head.rawPayload).toHaveLength(0);
    for (const name of ['content-length', 'content-type', 'etag', 'vary'])
      expect(head.headers[name], name).toBe(got.headers[name]);
  });

  it('tells no length where HEAD is answered by 304', async () => {
    const { etag } = (await get('/api/v2/artist/mono')).headers;
    const headers = { ...key, 'if-none-match': String(etag) };
    const head = await app.inject({ method: 'HEAD', url: '/api/v2/artist/mono', headers });
    expect([head.statusCode, head.headers['content-length'], head.headers.etag]).toEqual([
      304,
      undefined,
      etag,
    ]);
  });
});

describe('fields', () => {
  const membersOf = (answer: LightMyRequestResponse): string[] => Object.keys(answer.json());

  it('keeps the envelope and the facets asked for, in the order of the dossier', async () => {
    const answer = await get('/api/v2/artist/mono?fields=brokerage,%20emergence');
    expect(answer.statusCode).toBe(200);
    expect(membersOf(answer).toSorted()).toEqual([...ENVELOPE, 'emergence', 'brokerage'].toSorted());
    expect(membersOf(answer).filter((name) => !ENVELOPE.includes(name))).toEqual(['emergence', 'brokerage']);
  });

  it('keeps every value as the whole dossier says it', async () => {
    const whole = (await get('/api/v2/artist/mono')).json();
    for (const name of fieldNames) {
      const answer = await get(`/api/v2/dossier/artist/mono?fields=${name}`);
      expect(membersOf(answer)).toContain(name);
      for (const [member, value] of Object.entries(answer.json()))
        expect(value, member).toEqual(whole[member]);
    }
  });

  it('compresses a selection only where that is worth it', async () => {
    const gzip = { 'accept-encoding': 'gzip' };
    const small = await get('/api/v2/artist/mono?fields=identity', gzip);
    const large = await get('/api/v2/artist/mono?fields=provenance', gzip);
    expect(small.headers['content-encoding']).toBeUndefined();
    expect(large.headers['content-encoding']).toBe('gzip');
    expect(JSON.parse(gunzipSync(large.rawPayload).toString()).provenance).not.toHaveLength(0);
  });

  it('refuses names that are no facet, and shows the valid ones and an example that works', async () => {
    for (const fields of ['nope', 'emergence,nope', '', 'emergence,', ',', 'slug', 'Emergence']) {
      const refused = await get(`/api/v2/artist/mono?fields=${fields}`);
      expect(refused.statusCode, fields).toBe(400);
      const { error, param, hint, next } = refused.json();
      expect({ error, param }).toEqual({ error: 'invalid_fields', param: 'fields' });
      for (const name of fieldNames) expect(hint).toContain(name);
      expect(next.startsWith(`${BASE_URL}/api/v2/artist/mono?fields=`)).toBe(true);
      expect((await get(next.slice(BASE_URL.length))).statusCode).toBe(200);
    }
  });
});

describe('validators', () => {
  const etagOf = async (url: string): Promise<string> => String((await get(url)).headers.etag);

  it('answers 304 to who has the dossier already', async () => {
    const etag = await etagOf('/api/v2/artist/mono');
    expect(etag).toMatch(/^W\/"[0-9a-f]{32}-[0-9a-f]{8}"$/);
    now += 60_000;
    for (const given of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
      const answer = await get('/api/v2/artist/mono', { 'if-none-match': given });
      expect(answer.statusCode, given).toBe(304);
      expect(answer.rawPayload).toHaveLength(0);
      expect(answer.headers).toMatchObject({
        etag,
        vary: 'Accept-Encoding',
        'cache-control': 'private, no-cache',
      });
      expect(answer.headers['x-ratelimit-limit']).toBe('60000');
    }
    expect((await get('/api/v2/artist/mono', { 'if-none-match': '"other"' })).statusCode).toBe(200);
  });

  it('tells dossiers and selections apart, but not the order of a selection', async () => {
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

  it('says that a source is stale, and changes the tag with it', async () => {
    const staleTables = async (): Promise<string[]> => {
      const { provenance } = (await get('/api/v2/artist/mono')).json();
      const stale = provenance.filter((entry: { stale: boolean }) => entry.stale);
      return stale.map((entry: { sourceTable: string }) => entry.sourceTable);
    };
    const fresh = await etagOf('/api/v2/artist/mono');
    expect(await staleTables()).toEqual([]);
    staleness = stalenessOf([momentumId]);
    expect(await etagOf('/api/v2/artist/mono')).not.toBe(fresh);
    expect(await staleTables()).toEqual(['seen.artist_momentum', 'seen.artist_momentum']);
    staleness = stalenessOf([]);
    expect(await etagOf('/api/v2/artist/mono')).toBe(fresh);
  });
});

it('costs one statement a dossier, by cluster id and by slug', async () => {
  const statements = vi.spyOn(pg.Client.prototype, 'query');
  for (const path of [
    `/api/v2/artist/${CLUSTER}`,
    '/api/v2/artist/mono',
    '/api/v2/dossier/artist/mono?fields=identity',
    '/api/v2/artist/nobody',
  ]) {
    statements.mockClear();
    expect((await get(path)).statusCode).toBe(200);
    expect(statements, path).toHaveBeenCalledTimes(1);
  }
});

it('shares one statement between dossiers that are asked for together', async () => {
  const statements = vi.spyOn(pg.Client.prototype, 'query');
  const answers = await Promise.all([1, 2, 3, 4].map(() => get('/api/v2/artist/mono')));
  expect(answers.map((answer) => answer.statusCode)).toEqual([200, 200, 200, 200]);
  expect(statements.mock.calls.length).toBeLessThan(4);
});

describe('keys that are none', () => {
  const MBID = '0f0e0d0c-0b0a-4908-8706-050403020100';

  it.each([
    ['catalog:12', 'catalog=12'],
    ['Catalog:012', 'catalog=012'],
    [`mbid:${MBID}`, `mbid=${MBID}`],
    [`MBID:${MBID.toUpperCase()}`, `mbid=${MBID}`],
  ])('sends %s to resolve', async (locator, query) => {
    for (const [path, param] of [
      ['/api/v2/artist', 'key'],
      ['/api/v2/dossier/artist', 'slug'],
    ]) {
      for (const asked of [locator, encodeURIComponent(locator)]) {
        const refused = await get(`${path}/${asked}`);
        expect(refused.statusCode).toBe(400);
        expect(refused.json()).toMatchObject({
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
  ])('refuses %s', async (_name, asked) => {
    for (const path of ['/api/v2/artist', '/api/v2/dossier/artist']) {
      const refused = await get(`${path}/${asked}`);
      expect(refused.statusCode).toBe(400);
      expect(refused.json()).toMatchObject({
        error: 'invalid_artist_key',
        message: expect.any(String),
        hint: expect.stringContaining('/api/v2/resolve'),
        doc_url: `${BASE_URL}/docs/api#error-invalid_artist_key`,
      });
      expect(refused.headers['access-control-allow-origin']).toBe('*');
      expect(refused.headers['x-request-id']).toBeTruthy();
    }
  });
});
