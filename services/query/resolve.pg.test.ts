import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADDRESS_NAME, NEAR_NAMES } from '../../projections/identity/near-names.ts';
import { identityProjection } from '../../projections/identity/project.ts';
import { registerSources } from '../../projections/registry.ts';
import { catalogArtist } from '../../projections/sources/catalog/artist.ts';
import { clusterAliasV1 } from '../../projections/sources/mirror/cluster-alias-v1.ts';
import { clusterAuthorityIdsV1 } from '../../projections/sources/mirror/cluster-authority-ids-v1.ts';
import { artistIdentityBridge } from '../../projections/sources/seen/artist-identity-bridge.ts';
import { performingEntity } from '../../projections/sources/seen/performing-entity.ts';
import { clusterOf } from '../../test/artists.ts';
import { fillMirror } from '../../test/fill-mirror.ts';
import { BASE_URL, keyHeader, queryApp } from '../../test/query-app.ts';
import { NOBODY } from '../../test/resolve-service.ts';
import { CATALOG_ID, CLUSTER, OTHER_CLUSTER, rowsOf } from '../../test/rows/source-rows.ts';
import { withDatabase } from '../../test/services/database.ts';
import { rebuild } from '../../workers/project/build-version.ts';

const { pool } = withDatabase();
const MBID = '0f0e0d0c-0b0a-4908-8706-050403020100';
const ALIAS_ONLY = 'dd'.repeat(32);

let app: FastifyInstance;
let key: { 'x-api-key': string };

beforeAll(async () => {
  const registry = await registerSources(pool);
  const unbound = { realname: null, profile: null, urls: [], aliases: [] };
  await fillMirror(pool, registry, [
    rowsOf(
      catalogArtist,
      { name: 'Mono', slug: 'Mono', aliases: ['Ｍｏｎｏ  Band'] },
      { ...unbound, catalog_artist_id: 12, name: 'Twin (2)', slug: 'twin-2' },
      { ...unbound, catalog_artist_id: 13, name: 'Twin (3)', slug: 'twin-3' },
      { ...unbound, catalog_artist_id: 14, name: 'Åsa Ünbound', slug: 'åsa' },
    ),
    rowsOf(artistIdentityBridge, { catalog_artist_id_count: 1, is_exact: true, mbid: MBID }),
    rowsOf(
      performingEntity,
      { name: 'Mono Live', slug: 'mono-live', distinct_events: 40 },
      { cluster_id: OTHER_CLUSTER, name: 'Åsa Ünbound Trio', slug: 'åsa-trio', distinct_events: 9 },
      // Below the floor: never a candidate.
      { cluster_id: clusterOf(1), name: 'Åsa Ünbound Duo', slug: 'åsa-duo', distinct_events: 1 },
      ...[2, 3, 4, 5, 6, 7, 8].map((number) => ({
        cluster_id: clusterOf(number),
        name: `Twins ${number}`,
        slug: `twins-${number}`,
        distinct_events: number,
      })),
    ),
    rowsOf(clusterAliasV1, { cluster_id: ALIAS_ONLY, alias: 'Only An Alias' }),
    rowsOf(
      clusterAuthorityIdsV1,
      { scheme: 'website', value: 'mono.example', url: 'https://mono.example' },
      { cluster_id: OTHER_CLUSTER, scheme: 'mbid', value: 'no uuid' },
    ),
  ]);
  await rebuild(pool, identityProjection, registry);
  app = await queryApp(pool);
  key = await keyHeader(pool);
});
afterAll(() => app.close());

const get = (url: string): Promise<LightMyRequestResponse> => app.inject({ url, headers: key });
const resolve = async (query: string): Promise<Record<string, unknown>> => {
  const answer = await get(`/api/v2/resolve?${query}`);
  expect(answer.statusCode, query).toBe(200);
  return answer.json();
};

describe('an identity', () => {
  it('is answered whole by its name, whatever the case, width and white space', async () => {
    for (const q of ['mono', 'MONO', '%20Mono%09', 'mono%20band', '%EF%BC%ADono']) {
      expect(await resolve(`q=${q}`)).toEqual({
        cluster_id: CLUSTER,
        slug: 'mono',
        display: 'Mono',
        locators: { ...NOBODY.locators, catalog: CATALOG_ID, mbid: MBID, website: ['mono.example'] },
        resolved_via: 'catalog',
        resolved_from: 'name',
        matched_on: 'name',
        _links: {
          artist: `/api/v2/artist/${CLUSTER}`,
          artist_dossier_by_slug: '/api/v2/dossier/artist/mono',
        },
      });
    }
  });

  it('is answered by each structured id', async () => {
    for (const [query, matchedOn, via] of [
      [`catalog=${CATALOG_ID}`, 'catalog', 'catalog'],
      [`catalog=000${CATALOG_ID}`, 'catalog', 'catalog'],
      [`mbid=${MBID}`, 'mbid', 'catalog'],
      [`mbid=${MBID.toUpperCase()}`, 'mbid', 'catalog'],
      [`cluster=${CLUSTER}`, 'cluster', 'cluster'],
      [`cluster=${CLUSTER.toUpperCase()}`, 'cluster', 'cluster'],
    ]) {
      expect(await resolve(query ?? '')).toMatchObject({
        cluster_id: CLUSTER,
        resolved_from: 'locator',
        matched_on: matchedOn,
        resolved_via: via,
      });
    }
  });

  it('is answered with what a producer says, odd as it may be', async () => {
    expect(await resolve(`cluster=${OTHER_CLUSTER}`)).toMatchObject({ locators: { mbid: 'no uuid' } });
  });

  it('links to no slug where it has none', async () => {
    const answer = await resolve(`cluster=${ALIAS_ONLY}`);
    expect(answer).toMatchObject({ display: 'Only An Alias', slug: null });
    expect(answer._links).toEqual({ artist: `/api/v2/artist/${ALIAS_ONLY}`, artist_dossier_by_slug: null });
  });

  it('encodes a slug beyond ASCII in its links, and is linked by it where no cluster is bound', async () => {
    const { cluster_id, _links, note } = await resolve('catalog=14');
    expect(cluster_id).toBeNull();
    expect(note).toBeUndefined();
    expect(_links).toEqual({
      artist: '/api/v2/artist/%C3%A5sa',
      artist_dossier_by_slug: '/api/v2/dossier/artist/%C3%A5sa',
    });
  });
});

describe('nobody', () => {
  it.each([
    `cluster=${'ab'.repeat(32)}`,
    'mbid=ffffffff-ffff-4fff-8fff-ffffffffffff',
    'catalog=999999',
    'catalog=r123',
    'catalog=-1',
    'catalog=1.5',
    'catalog=99999999999999999999',
  ])('is answered with nulls and a note: %s', async (query) => {
    const answer = await resolve(query);
    expect(answer).toEqual({ ...NOBODY, resolved_from: 'locator', note: expect.any(String) });
  });

  it('has candidates where a name was asked for', async () => {
    expect(await resolve('q=nobody%20of%20that%20name%20zzzz')).toEqual({
      ...NOBODY,
      resolved_from: 'name',
      note: expect.any(String),
      candidates: [],
    });
  });
});

describe('candidates', () => {
  it('are listed, at most five and supported, where two artists have an equal claim', async () => {
    const { candidates, ...rest } = await resolve('q=twin');
    expect(rest).toEqual({ ...NOBODY, resolved_from: 'name', note: expect.stringContaining('equal claim') });
    expect(candidates).toEqual(
      [8, 7, 6, 5, 4].map((number) => ({
        cluster_id: clusterOf(number),
        name: `Twins ${number}`,
        tier: 'cluster',
        distinct_events: number,
      })),
    );
  });

  it('stand beside a catalogue artist without a cluster, near in letters beyond ASCII too', async () => {
    expect(await resolve('q=ÅSA%20ünbound')).toMatchObject({
      cluster_id: null,
      slug: 'åsa',
      resolved_via: 'catalog',
      matched_on: 'name',
      candidates: [{ cluster_id: OTHER_CLUSTER, name: 'Åsa Ünbound Trio', distinct_events: 9 }],
    });
  });

  it('are left out where the artist has a cluster', async () => {
    expect(await resolve('q=mono')).not.toHaveProperty('candidates');
  });

  it('are none where there is no letter to compare', async () => {
    expect(await resolve('q=%3F%3F%3F')).toMatchObject({ cluster_id: null, candidates: [] });
  });

  it('are found by an index', async () => {
    const client = await pool.connect();
    try {
      await client.query(`
        begin; set local enable_seqscan = off;
        insert into read.identity_address (address, rank, support, document)
          select 'name:' || md5(number::text), 4, 9, gen_random_uuid() from generate_series(1, 5000) number;
        analyze;`);
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(
        `explain select from unnest(array['twin', 'mono']) asked (name) cross join lateral (
           select from read.identity_address where ${NEAR_NAMES} and ${ADDRESS_NAME} % asked.name limit 5) near`,
      );
      expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toMatch(/Bitmap Index Scan on \w*_address_\d+/);
    } finally {
      await client.query('rollback');
      client.release();
    }
  });
});

describe('refusals', () => {
  const refused = async (query: string): Promise<Record<string, unknown>> => {
    const answer = await get(`/api/v2/resolve${query}`);
    expect(answer.statusCode, query).toBe(400);
    return answer.json();
  };

  it.each(['', '?', '?q=', '?q=%20%09', '?q=&cluster=', '?url=&isrc=%20&artist=&track=', '?locator=a'])(
    'missing_locator: %s',
    async (query) => {
      expect(await refused(query)).toMatchObject({
        error: 'missing_locator',
        hint: expect.stringContaining(
          'exactly one of url, q, cluster, catalog, mbid, isrc, or artist together with track',
        ),
        doc_url: `${BASE_URL}/docs/api#error-missing_locator`,
      });
    },
  );

  it.each([
    ['?q=a&cluster=b', 'cluster'],
    [`?cluster=${CLUSTER}&catalog=1`, 'catalog'],
    [`?mbid=${MBID}&catalog=1`, 'mbid'],
    ['?cluster=xyz', 'cluster'],
    [`?cluster=${CLUSTER}0`, 'cluster'],
    ['?mbid=12', 'mbid'],
    [`?mbid=${MBID.replaceAll('-', '')}`, 'mbid'],
    [`?q=${'a'.repeat(1_001)}`, 'q'],
    ['?q=a%00b', 'q'],
    ['?url=https://a.example&q=a', 'q'],
    ['?url=https://a.example&isrc=USRC17607839', 'isrc'],
    ['?isrc=USRC17607839&catalog=1', 'isrc'],
    ['?isrc=USRC17607839&artist=a&track=b', 'artist'],
    ['?q=a&isrc=USRC17607839&artist=a&track=b', 'artist'],
    ['?mbid=1&artist=a&track=b', 'artist'],
    ['?artist=a', 'track'],
    ['?artist=a&track=%20', 'track'],
    ['?track=a', 'artist'],
    ['?q=a&artist=a', 'track'],
    ['?isrc=USRC17607839&track=a', 'artist'],
    ['?isrc=USRC1760783', 'isrc'],
    ['?isrc=USRC176078390', 'isrc'],
    ['?isrc=%C3%9CSRC17607839', 'isrc'],
    [`?artist=${'a'.repeat(1_001)}&track=a`, 'artist'],
    [`?artist=a&track=${'a'.repeat(1_001)}`, 'track'],
    ['?artist=a&track=b%00', 'track'],
    ['?url=not%20a%20link', 'url'],
    ['?url=aphextwin', 'url'],
    ['?url=javascript%3Aalert(1)', 'url'],
    ['?url=ftp%3A%2F%2Fa.example', 'url'],
    ['?url=https%3A%2F%2Fdiscogs.com%40a.example%2Fartist%2F45', 'url'],
  ])('invalid_locator: %s', async (query, param) => {
    expect(await refused(query)).toMatchObject({ error: 'invalid_locator', param });
  });

  it.each([
    ['?q=a&q=b', 'q'],
    ['?isrc=USRC17607839&isrc=USRC17607839', 'isrc'],
    ['?url=https://a.example/?b=1&c=2', 'c'],
    ['?q=a&Q=b', 'Q'],
    ['?q=a&__proto__=b', '__proto__'],
  ])('invalid_query: %s', async (query, path) => {
    expect(await refused(query)).toMatchObject({
      error: 'invalid_query',
      param: path,
      details: [{ path, message: expect.any(String) }],
    });
  });

  it('says every parameter at fault', async () => {
    const { details } = await refused('?q=a&one=1&two=2');
    expect(details).toEqual([
      { path: 'one', message: 'is not a parameter of this route' },
      { path: 'two', message: 'is not a parameter of this route' },
    ]);
  });

  it.each([
    '?q=%FF',
    '?q=%',
    '?q=%ED%A0%80',
    `?q=${encodeURIComponent("'; drop table x; --")}`,
    `?q=${encodeURIComponent('\u{fdfa}'.repeat(1_000))}`,
  ])('never fails on odd text: %#', async (query) => {
    expect([200, 400]).toContain((await get(`/api/v2/resolve${query}`)).statusCode);
  });
});
