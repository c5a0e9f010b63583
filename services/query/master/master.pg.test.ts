import { gunzipSync } from 'node:zlib';
import { Value } from '@sinclair/typebox/value';
import pg from 'pg';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { catalogArtist } from '../../../projections/contracts/catalog/artist.ts';
import { catalogMaster } from '../../../projections/contracts/catalog/master.ts';
import { catalogMasterCube } from '../../../projections/contracts/catalog/master-cube.ts';
import { artistIdentityBridge } from '../../../projections/contracts/seen/artist-identity-bridge.ts';
import { masterPropagationTimelineCluster } from '../../../projections/contracts/seen/master-propagation-timeline-cluster.ts';
import { performingEntity } from '../../../projections/contracts/seen/performing-entity.ts';
import { prepareSeal, sealFrame } from '../../../projections/engine/frame/frame.ts';
import { artistProjection } from '../../../projections/models/artist/project.ts';
import { masterProjection } from '../../../projections/models/master/project.ts';
import { closed } from '../../../test/support/http/closed-schema.ts';
import { BASE_URL } from '../../../test/support/query/app.ts';
import { withQueryService } from '../../../test/support/query/service.ts';
import { rowsOf } from '../../../test/support/rows/source-rows.ts';
import { MasterDossierBody } from './route.ts';

const ALPHA = 'a1'.repeat(32);
const BETA = 'b2'.repeat(32);
const MERGED = 'c3'.repeat(32);
const NAME_ONLY = 'd4'.repeat(32);
const INEXACT = 'e5'.repeat(32);
const BOOKED = 'f6'.repeat(32);
const UNKNOWN = 'ab'.repeat(32);
const MBID = '0f0e0d0c-0b0a-4908-8706-050403020100';
const OWNERS = 987_654;

const ABSENT = { object: 'master.dossier', present: false, master: null };
const exactly = { catalog_artist_id_count: 1, is_exact: true };

const service = withQueryService({
  rows: [
    rowsOf(
      catalogArtist,
      { catalog_artist_id: 11, name: 'Alpha', slug: 'Alpha-Été' },
      { catalog_artist_id: 12, name: 'Beta', slug: 'beta' },
      { catalog_artist_id: 13, name: 'Homonym', slug: 'homonym' },
      { catalog_artist_id: 14, name: 'Loose', slug: 'loose' },
    ),
    rowsOf(
      artistIdentityBridge,
      { ...exactly, cluster_id: ALPHA, catalog_artist_id: 11 },
      { ...exactly, cluster_id: BETA, catalog_artist_id: 12 },
      { ...exactly, cluster_id: MERGED, catalog_artist_id: 13, catalog_artist_id_count: 2 },
      { ...exactly, cluster_id: INEXACT, catalog_artist_id: 14, is_exact: false },
      { ...exactly, cluster_id: BOOKED, catalog_artist_id: 15 },
    ),
    rowsOf(
      performingEntity,
      { cluster_id: NAME_ONLY, name: 'Name Only', slug: 'name-only' },
      { cluster_id: BOOKED, name: 'Booked', slug: 'booked' },
    ),
    rowsOf(
      catalogMaster,
      {
        master_id: 101,
        title: 'Split 東京',
        catalog_artist_ids: [11, 12],
        artist_cluster_id: ALPHA,
        rg_mbid: MBID,
        tracklist: [{ position: 'A', title: 'One', duration_s: 61.2 }],
      },
      { master_id: 102, catalog_artist_ids: [13], artist_cluster_id: MERGED },
      { master_id: 103, catalog_artist_ids: [11], artist_cluster_id: NAME_ONLY },
      { master_id: 104, catalog_artist_ids: [14], artist_cluster_id: INEXACT },
      { master_id: 105, catalog_artist_ids: [15], artist_cluster_id: BOOKED },
    ),
    rowsOf(catalogMasterCube, { master_id: 101, cube_quadrant: '110', owner_count: OWNERS, dj_count: 5 }),
    rowsOf(masterPropagationTimelineCluster, { master_id: 101, cluster_id: ALPHA, observations: 3 }),
  ],
  projections: [artistProjection, masterProjection],
  parts: { now: () => Date.UTC(2026, 0, 1) },
});
const { pool } = service;
afterEach(() => vi.restoreAllMocks());

const { get } = service;

/** The response, validated against the schema of the route. */
async function releaseGroupOf(path: string) {
  const response = await get(`/api/v2/artist/${path}`);
  expect(response.statusCode, path).toBe(200);
  expect([...Value.Errors(closed(MasterDossierBody), response.json())], path).toEqual([]);
  return response.json();
}

describe('a release group', () => {
  it('is found under the slugs of its artists and the clusters bound to them, in any case', async () => {
    const first = await releaseGroupOf(`${ALPHA}/master/101`);
    expect(first).toEqual({
      object: 'master.dossier',
      present: true,
      master: {
        grain: 'master',
        header: {
          masterId: 101,
          title: 'Split 東京',
          artistDisplay: 'artist_display 1',
          artists: [
            { catalogArtistId: 11, name: 'Alpha', slug: 'alpha-été', clusterId: ALPHA },
            { catalogArtistId: 12, name: 'Beta', slug: 'beta', clusterId: BETA },
          ],
          year: null,
          genres: [],
          styles: [],
          formats: [],
          country: null,
          labels: [],
          releaseCount: null,
        },
        binding: { observed: false },
        cube: { quadrant: '110', djCount: 5, criticCount: null },
        tracklist: [{ position: 'A', title: 'One', durationS: 61 }],
        propagation: [
          { channel: 'dj', firstSeenAt: '2019-06-30', latestSeenAt: '2019-06-30', observations: 3 },
        ],
        artwork: [
          {
            url: `https://coverartarchive.org/release-group/${MBID}/front-500`,
            source: 'coverarchive',
            grain: 'release',
            license: 'see-source',
            rehost: false,
          },
        ],
        provenance: expect.any(Array),
        generated_at: '2026-01-01T00:00:00Z',
      },
    });
    for (const requested of [
      `${BETA}/master/101`,
      `${encodeURIComponent('alpha-été')}/master/101`,
      `${encodeURIComponent('ALPHA-ÉTÉ')}/master/101`,
      'BETA/master/101',
      'beta/master/00101',
    ]) {
      expect(await releaseGroupOf(requested), requested).toEqual(first);
    }
  });

  it('of an over-merged name is found by slug alone, and flagged', async () => {
    const { present, master } = await releaseGroupOf('homonym/master/102');
    expect({ present, binding: master.binding }).toEqual({ present: true, binding: { observed: true } });
    expect(master.header.artists).toEqual([
      { catalogArtistId: 13, name: 'Homonym', slug: 'homonym', clusterId: null },
    ]);
    expect(await releaseGroupOf(`${MERGED}/master/102`)).toEqual(ABSENT);
  });

  it('is found by a slug that falls back to a bound cluster', async () => {
    const { master } = await releaseGroupOf('booked/master/105');
    expect(master.header.artists).toEqual([
      { catalogArtistId: 15, name: null, slug: null, clusterId: BOOKED },
    ]);
    expect(await releaseGroupOf(`${BOOKED}/master/105`)).toEqual({ ...ABSENT, present: true, master });
    expect(await releaseGroupOf('name-only/master/103')).toEqual(ABSENT);
  });

  it.each([
    ['of another artist, by slug', 'beta/master/103'],
    ['of another artist, by cluster', `${BETA}/master/103`],
    ['of a cluster that only shares the name', `${NAME_ONLY}/master/103`],
    ['of a cluster that is not exactly bound', `${INEXACT}/master/104`],
    ['of a slug that nobody has', 'nobody/master/101'],
    ['of an unknown cluster', `${UNKNOWN}/master/101`],
    ['of an unknown release group', 'beta/master/999'],
    ['with an id beyond all ids', 'beta/master/99999999999999999999'],
    ['with an id of thousands of digits', `beta/master/${'9'.repeat(5_000)}`],
    ['of id 0', 'beta/master/0'],
  ])('%s is absent', async (_name, requested) => {
    const response = await get(`/api/v2/artist/${requested}`);
    expect(await releaseGroupOf(requested)).toEqual(ABSENT);
    expect(response.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'private, no-cache',
    });
    const { etag } = response.headers;
    expect(etag).toMatch(/^W\/"[\w-]{22}"$/);
    const again = await get(`/api/v2/artist/${requested}`, { 'if-none-match': String(etag) });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });

  it('is found by the slug of an artist whose cluster is not exactly bound', async () => {
    expect((await releaseGroupOf('loose/master/104')).master.header.artists[0].clusterId).toBe(INEXACT);
  });
});

it('keeps the number of owners out of responses and documents', async () => {
  const { rows } = await pool.query<{ body: Buffer }>('select body from read.master order by key');
  const seal = prepareSeal('2026-01-01T00:00:00Z', () => false);
  const stored = rows.map(({ body }) => gunzipSync(sealFrame(body, seal)).toString());
  expect(stored).toHaveLength(5);
  expect(stored[0]).toContain('"djCount":5');
  for (const text of [...stored, (await get(`/api/v2/artist/${ALPHA}/master/101`)).body]) {
    expect(text).not.toContain(String(OWNERS));
    expect(text).not.toMatch(/owner/i);
  }
});

describe('validators', () => {
  it('return 304 to a client that has the release group from either key', async () => {
    const etag = String((await get('/api/v2/artist/beta/master/101')).headers.etag);
    expect(etag).toMatch(/^W\/"[0-9a-f]{32}-[0-9a-f]{8}"$/);
    for (const requested of [`${ALPHA}/master/101`, 'BETA/master/101']) {
      const response = await get(`/api/v2/artist/${requested}`, { 'if-none-match': etag });
      expect(response.statusCode, requested).toBe(304);
      expect(response.rawPayload).toHaveLength(0);
      expect(response.headers).toMatchObject({ etag, 'cache-control': 'private, no-cache' });
    }
    for (const requested of ['homonym/master/102', 'beta/master/999'])
      expect((await get(`/api/v2/artist/${requested}`, { 'if-none-match': etag })).statusCode).toBe(200);
  });

  it('change when a source becomes stale, which the dossier shows', async () => {
    const staleTables = async () => {
      const { provenance } = (await releaseGroupOf('beta/master/101')).master;
      const stale = provenance.filter((entry: { stale: boolean }) => entry.stale);
      return stale.map((entry: { sourceTable: string }) => entry.sourceTable);
    };
    const fresh = (await get('/api/v2/artist/beta/master/101')).headers.etag;
    expect(await staleTables()).toEqual([]);
    service.setStale(catalogMasterCube);
    expect(await staleTables()).toEqual(['catalog.master_cube']);
    expect((await get('/api/v2/artist/beta/master/101')).headers.etag).not.toBe(fresh);
  });

  it('are sent with gzip to clients that accept it', async () => {
    const zipped = await get('/api/v2/artist/beta/master/101', { 'accept-encoding': 'gzip' });
    const plain = await get('/api/v2/artist/beta/master/101');
    expect(zipped.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(zipped.rawPayload).toString()).toBe(plain.body);
  });
});

it('runs one statement per request, by cluster id and by slug, found or not', async () => {
  const statements = vi.spyOn(pg.Client.prototype, 'query');
  for (const requested of [
    `${ALPHA}/master/101`,
    'beta/master/101',
    'booked/master/105',
    'nobody/master/1',
    `${MERGED}/master/102`,
  ]) {
    statements.mockClear();
    expect((await get(`/api/v2/artist/${requested}`)).statusCode).toBe(200);
    expect(statements, requested).toHaveBeenCalledTimes(1);
  }
});

describe('rejects', () => {
  it.each([
    ['nothing', ''],
    ['a blank', '%20'],
    ['letters', 'abc'],
    ['a prefix', 'm101'],
    ['a sign', '-1'],
    ['a plus', '%2B1'],
    ['a fraction', '1.0'],
    ['an exponent', '1e2'],
    ['hexadecimal digits', '0x65'],
    ['a blank behind', '101%20'],
    ['a line end behind', '101%0A'],
    ['digits of another script', encodeURIComponent('١٠١')],
    ['a slash', '101%2F1'],
    ['NUL', '101%00'],
  ])('%s as the id', async (_name, id) => {
    for (const artist of ['beta', ALPHA]) {
      const rejected = await get(`/api/v2/artist/${artist}/master/${id}`);
      expect(rejected.statusCode).toBe(400);
      expect(rejected.json()).toEqual({
        error: 'invalid_query',
        message: 'The request does not fit the parameters of this route.',
        hint: 'Correct every entry of details.',
        doc_url: `${BASE_URL}/docs/api#error-invalid_query`,
        param: 'id',
        details: [{ path: 'id', message: 'must consist of decimal digits only' }],
      });
      expect(rejected.headers['cache-control']).toBe('no-store');
    }
  });

  it.each([
    ['catalog:12', 'use_resolve_for_locator'],
    [`mbid:${MBID}`, 'use_resolve_for_locator'],
    ['streaming:abc', 'invalid_artist_key'],
    ['%20', 'invalid_artist_key'],
    ['a'.repeat(201), 'invalid_artist_key'],
    ['%FF', 'invalid_artist_key'],
  ])('%s as the key, as the artist route does', async (requested, error) => {
    const ofArtist = await get(`/api/v2/artist/${requested}`);
    const rejected = await get(`/api/v2/artist/${requested}/master/101`);
    expect(rejected.statusCode).toBe(400);
    expect(rejected.json().error).toBe(error);
    expect(rejected.json()).toEqual(ofArtist.json());
  });

  it('other methods and requests without an API key', async () => {
    const posted = await service
      .app()
      .inject({ method: 'POST', url: '/api/v2/artist/beta/master/101', headers: service.key() });
    expect(posted.statusCode).toBe(405);
    expect((await service.app().inject({ url: '/api/v2/artist/beta/master/101' })).statusCode).toBe(401);
  });
});
