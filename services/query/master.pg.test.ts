import { gunzipSync } from 'node:zlib';
import { FormatRegistry } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { artistProjection } from '../../projections/artist/project.ts';
import { prepareSeal, sealFrame } from '../../projections/frame/frame.ts';
import { masterProjection } from '../../projections/master/project.ts';
import { registerSources } from '../../projections/registry.ts';
import { catalogArtist } from '../../projections/sources/catalog/artist.ts';
import { catalogMaster } from '../../projections/sources/catalog/master.ts';
import { catalogMasterCube } from '../../projections/sources/catalog/master-cube.ts';
import { artistIdentityBridge } from '../../projections/sources/seen/artist-identity-bridge.ts';
import { masterPropagationTimelineCluster } from '../../projections/sources/seen/master-propagation-timeline-cluster.ts';
import { performingEntity } from '../../projections/sources/seen/performing-entity.ts';
import { closed } from '../../test/closed-schema.ts';
import { fillMirror } from '../../test/fill-mirror.ts';
import { BASE_URL, keyHeader, queryApp } from '../../test/query-app.ts';
import { rowsOf } from '../../test/rows/source-rows.ts';
import { withDatabase } from '../../test/services/database.ts';
import { rebuild } from '../../workers/project/build-version.ts';
import { MasterDossierBody } from './schemas/master.ts';
import { type Staleness, stalenessOf } from './serving/staleness.ts';

const { pool } = withDatabase();

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

let app: FastifyInstance;
let key: { 'x-api-key': string };
let cubeId = 0;
let staleness: Staleness = stalenessOf([]);

beforeAll(async () => {
  for (const format of ['date-time', 'date']) FormatRegistry.Set(format, () => true);
  const registry = await registerSources(pool);
  cubeId = registry.idOf(catalogMasterCube);
  await fillMirror(pool, registry, [
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
  ]);
  await rebuild(pool, artistProjection, registry);
  await rebuild(pool, masterProjection, registry);
  app = await queryApp(pool, { now: () => Date.UTC(2026, 0, 1), staleness: () => staleness });
  key = await keyHeader(pool);
  await get('/api/v2/artist/beta/master/101');
});
afterAll(() => app.close());
afterEach(() => {
  vi.restoreAllMocks();
  staleness = stalenessOf([]);
});

const get = (url: string, headers: Record<string, string> = {}): Promise<LightMyRequestResponse> =>
  app.inject({ url, headers: { ...key, ...headers } });

/** The answer, which is one that the schema declares, and declares all of. */
async function answerOf(path: string) {
  const answer = await get(`/api/v2/artist/${path}`);
  expect(answer.statusCode, path).toBe(200);
  expect([...Value.Errors(closed(MasterDossierBody), answer.json())], path).toEqual([]);
  return answer.json();
}

describe('a release group', () => {
  it('answers under the slugs of those it is filed under and the clusters bound to them, in any case', async () => {
    const first = await answerOf(`${ALPHA}/master/101`);
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
    for (const asked of [
      `${ALPHA.toUpperCase()}/master/101`,
      `${BETA}/master/101`,
      `${encodeURIComponent('alpha-été')}/master/101`,
      `${encodeURIComponent('ALPHA-ÉTÉ')}/master/101`,
      'BETA/master/101',
      'beta/master/00101',
    ]) {
      expect(await answerOf(asked), asked).toEqual(first);
    }
  });

  it('of an over-merged name is found by slug alone, and flagged', async () => {
    const { present, master } = await answerOf('homonym/master/102');
    expect({ present, binding: master.binding }).toEqual({ present: true, binding: { observed: true } });
    expect(master.header.artists).toEqual([
      { catalogArtistId: 13, name: 'Homonym', slug: 'homonym', clusterId: null },
    ]);
    expect(await answerOf(`${MERGED}/master/102`)).toEqual(ABSENT);
  });

  it('is found by a slug that falls to a cluster where that cluster is bound', async () => {
    const { master } = await answerOf('booked/master/105');
    expect(master.header.artists).toEqual([
      { catalogArtistId: 15, name: null, slug: null, clusterId: BOOKED },
    ]);
    expect(await answerOf(`${BOOKED}/master/105`)).toEqual({ ...ABSENT, present: true, master });
    expect(await answerOf('name-only/master/103')).toEqual(ABSENT);
  });

  it.each([
    ['of another artist, by slug', 'beta/master/103'],
    ['of another artist, by cluster', `${BETA}/master/103`],
    ['of a cluster that only shares the name', `${NAME_ONLY}/master/103`],
    ['of a cluster that is not exactly bound', `${INEXACT}/master/104`],
    ['of a slug that nobody has', 'nobody/master/101'],
    ['of a cluster that nobody has named', `${UNKNOWN}/master/101`],
    ['that nobody has told of', 'beta/master/999'],
    ['with an id beyond all ids', 'beta/master/99999999999999999999'],
    ['with an id of thousands of digits', `beta/master/${'9'.repeat(5_000)}`],
    ['of id 0', 'beta/master/0'],
  ])('%s is absent', async (_name, asked) => {
    const answer = await get(`/api/v2/artist/${asked}`);
    expect(await answerOf(asked)).toEqual(ABSENT);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'private, no-cache',
    });
    const { etag } = answer.headers;
    expect(etag).toMatch(/^W\/"[\w-]{22}"$/);
    const again = await get(`/api/v2/artist/${asked}`, { 'if-none-match': String(etag) });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });

  it('is found by the slug of an artist whose cluster is not exactly bound', async () => {
    expect((await answerOf('loose/master/104')).master.header.artists[0].clusterId).toBe(INEXACT);
  });
});

it('keeps the number of owners out of answers and of what is stored', async () => {
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
  it('answer 304 to who has the release group already, whichever way it came', async () => {
    const etag = String((await get('/api/v2/artist/beta/master/101')).headers.etag);
    expect(etag).toMatch(/^W\/"[0-9a-f]{32}-[0-9a-f]{8}"$/);
    for (const asked of [`${ALPHA}/master/101`, 'BETA/master/101']) {
      const answer = await get(`/api/v2/artist/${asked}`, { 'if-none-match': etag });
      expect(answer.statusCode, asked).toBe(304);
      expect(answer.rawPayload).toHaveLength(0);
      expect(answer.headers).toMatchObject({ etag, 'cache-control': 'private, no-cache' });
    }
    for (const asked of ['homonym/master/102', 'beta/master/999'])
      expect((await get(`/api/v2/artist/${asked}`, { 'if-none-match': etag })).statusCode).toBe(200);
  });

  it('tell a stale source, and change with it', async () => {
    const staleTables = async () => {
      const { provenance } = (await answerOf('beta/master/101')).master;
      const stale = provenance.filter((entry: { stale: boolean }) => entry.stale);
      return stale.map((entry: { sourceTable: string }) => entry.sourceTable);
    };
    const fresh = (await get('/api/v2/artist/beta/master/101')).headers.etag;
    expect(await staleTables()).toEqual([]);
    staleness = stalenessOf([cubeId]);
    expect(await staleTables()).toEqual(['catalog.master_cube']);
    expect((await get('/api/v2/artist/beta/master/101')).headers.etag).not.toBe(fresh);
  });

  it('go with gzip for those who take it', async () => {
    const zipped = await get('/api/v2/artist/beta/master/101', { 'accept-encoding': 'gzip' });
    const plain = await get('/api/v2/artist/beta/master/101');
    expect(zipped.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(zipped.rawPayload).toString()).toBe(plain.body);
  });
});

it('costs one statement a request, by cluster id and by slug, found or not', async () => {
  const statements = vi.spyOn(pg.Client.prototype, 'query');
  for (const asked of [
    `${ALPHA}/master/101`,
    'beta/master/101',
    'booked/master/105',
    'nobody/master/1',
    `${MERGED}/master/102`,
  ]) {
    statements.mockClear();
    expect((await get(`/api/v2/artist/${asked}`)).statusCode).toBe(200);
    expect(statements, asked).toHaveBeenCalledTimes(1);
  }
});

describe('refuses', () => {
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
      const refused = await get(`/api/v2/artist/${artist}/master/${id}`);
      expect(refused.statusCode).toBe(400);
      expect(refused.json()).toEqual({
        error: 'invalid_query',
        message: 'The request does not fit the parameters of this route.',
        hint: 'Correct every entry of details.',
        doc_url: `${BASE_URL}/docs/api#error-invalid_query`,
        param: 'id',
        details: [{ path: 'id', message: 'must be decimal digits only' }],
      });
      expect(refused.headers['cache-control']).toBe('no-store');
    }
  });

  it.each([
    ['catalog:12', 'use_resolve_for_locator'],
    [`mbid:${MBID}`, 'use_resolve_for_locator'],
    ['streaming:abc', 'invalid_artist_key'],
    ['%20', 'invalid_artist_key'],
    ['a'.repeat(201), 'invalid_artist_key'],
    ['%FF', 'invalid_artist_key'],
  ])('%s as the key, as the artist route does', async (asked, error) => {
    const ofArtist = await get(`/api/v2/artist/${asked}`);
    const refused = await get(`/api/v2/artist/${asked}/master/101`);
    expect(refused.statusCode).toBe(400);
    expect(refused.json().error).toBe(error);
    expect(refused.json()).toEqual(ofArtist.json());
  });

  it('parameters that it does not take, other methods, and who has no key', async () => {
    const refused = await get('/api/v2/artist/beta/master/101?fields=header');
    expect(refused.statusCode).toBe(400);
    expect(refused.json()).toMatchObject({ error: 'invalid_query', param: 'fields' });
    const posted = await app.inject({ method: 'POST', url: '/api/v2/artist/beta/master/101', headers: key });
    expect(posted.statusCode).toBe(405);
    expect((await app.inject({ url: '/api/v2/artist/beta/master/101' })).statusCode).toBe(401);
  });
});
