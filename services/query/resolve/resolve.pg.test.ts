import { describe, expect, it } from 'vitest';
import { catalogArtist } from '../../../projections/contracts/catalog/artist.ts';
import { clusterAliasV1 } from '../../../projections/contracts/mirror/cluster-alias-v1.ts';
import { clusterAuthorityIdsV1 } from '../../../projections/contracts/mirror/cluster-authority-ids-v1.ts';
import { artistIdentityBridge } from '../../../projections/contracts/seen/artist-identity-bridge.ts';
import { performingEntity } from '../../../projections/contracts/seen/performing-entity.ts';
import { KEY_NAME, NEAR_NAMES } from '../../../projections/models/identity/near-names.ts';
import { identityProjection } from '../../../projections/models/identity/project.ts';
import { clusterOf } from '../../../test/support/projections/artists.ts';
import { BASE_URL } from '../../../test/support/query/app.ts';
import { UNRESOLVED } from '../../../test/support/query/resolve-service.ts';
import { withQueryService } from '../../../test/support/query/service.ts';
import { CATALOG_ID, CLUSTER, OTHER_CLUSTER, rowsOf } from '../../../test/support/rows/source-rows.ts';

const MBID = '0f0e0d0c-0b0a-4908-8706-050403020100';
const ALIAS_ONLY = 'dd'.repeat(32);
/** Has two mbids, neither of them verified. */
const RIVALRY = 'ab12'.repeat(16);
const RIVALS = ['0f0e0d0c-0b0a-4908-8706-0000000000a1', '0f0e0d0c-0b0a-4908-8706-0000000000a2'] as const;
const UNSURE = '0f0e0d0c-0b0a-4908-8706-0000000000a3';

const unbound = { realname: null, profile: null, urls: [], aliases: [] };
const service = withQueryService({
  rows: [
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
      { scheme: 'mbid', value: UNSURE, confidence: 0.4 },
      ...RIVALS.map((value) => ({ cluster_id: RIVALRY, scheme: 'mbid' as const, value, confidence: 0.4 })),
    ),
  ],
  projections: [identityProjection],
});
const { pool } = service;

const { get } = service;
const resolve = async (query: string): Promise<Record<string, unknown>> => {
  const response = await get(`/api/v2/resolve?${query}`);
  expect(response.statusCode, query).toBe(200);
  return response.json();
};

describe('an identity', () => {
  it('is found by its name, whatever the case, width and white space', async () => {
    for (const q of ['mono', 'MONO', '%20Mono%09', 'mono%20band', '%EF%BC%ADono']) {
      expect(await resolve(`q=${q}`)).toEqual({
        cluster_id: CLUSTER,
        slug: 'mono',
        display: 'Mono',
        locators: { ...UNRESOLVED.locators, catalog: CATALOG_ID, mbid: MBID, website: ['mono.example'] },
        resolved_via: 'catalog',
        resolved_from: 'name',
        matched_on: 'name',
        _links: {
          artist: '/api/v2/artist/mono',
          artist_dossier_by_slug: '/api/v2/dossier/artist/mono',
        },
      });
    }
  });

  it('is found by each structured id', async () => {
    for (const [query, matchedOn, via] of [
      [`catalog=${CATALOG_ID}`, 'catalog', 'catalog'],
      [`catalog=000${CATALOG_ID}`, 'catalog', 'catalog'],
      [`mbid=${MBID}`, 'mbid', 'catalog'],
      [`mbid=${MBID.toUpperCase()}`, 'mbid', 'catalog'],
      [`cluster=${CLUSTER}`, 'cluster', 'cluster'],
      [`cluster=${CLUSTER}`, 'cluster', 'cluster'],
    ]) {
      expect(await resolve(query ?? '')).toMatchObject({
        cluster_id: CLUSTER,
        resolved_from: 'locator',
        matched_on: matchedOn,
        resolved_via: via,
      });
    }
  });

  it('has a note if it carries another mbid that is not verified either', async () => {
    const note = 'The id is recorded for this artist but not verified.';
    expect(await resolve(`mbid=${RIVALS[1]}`)).toMatchObject({
      cluster_id: RIVALRY,
      locators: { mbid: RIVALS[0] },
      note: `${note} Neither is its other mbid, ${RIVALS[0]}.`,
    });
    expect((await resolve(`mbid=${RIVALS[0]}`)).note).toBe(note);
    // The other one is verified.
    expect(await resolve(`mbid=${UNSURE}`)).toMatchObject({ locators: { mbid: MBID }, note });
  });

  it('links first to the lane that it resolved by', async () => {
    for (const [query, artist] of [
      ['q=mono', 'mono'],
      [`catalog=${CATALOG_ID}`, 'mono'],
      [`cluster=${CLUSTER}`, CLUSTER],
    ] as const)
      expect((await resolve(query))._links).toMatchObject({ artist: `/api/v2/artist/${artist}` });
  });

  it('keeps odd values of its producer', async () => {
    expect(await resolve(`cluster=${OTHER_CLUSTER}`)).toMatchObject({ locators: { mbid: 'no uuid' } });
  });

  it('has no slug link without a slug', async () => {
    const response = await resolve(`cluster=${ALIAS_ONLY}`);
    expect(response).toMatchObject({ display: 'Only An Alias', slug: null });
    expect(response._links).toEqual({ artist: `/api/v2/artist/${ALIAS_ONLY}`, artist_dossier_by_slug: null });
  });

  it('encodes a slug beyond ASCII in its links, in the catalogue lane', async () => {
    const { cluster_id, _links, note } = await resolve('catalog=14');
    expect(cluster_id).toBeNull();
    expect(note).toBeUndefined();
    expect(_links).toEqual({
      artist: '/api/v2/artist/%C3%A5sa',
      artist_dossier_by_slug: '/api/v2/dossier/artist/%C3%A5sa',
    });
  });
});

describe('an unresolved locator', () => {
  it.each([
    `cluster=${'ab'.repeat(32)}`,
    'mbid=ffffffff-ffff-4fff-8fff-ffffffffffff',
    'catalog=999999',
    'catalog=r123',
    'catalog=-1',
    'catalog=1.5',
    'catalog=99999999999999999999',
  ])('returns nulls and a note: %s', async (query) => {
    const response = await resolve(query);
    expect(response).toEqual({ ...UNRESOLVED, resolved_from: 'locator', note: expect.any(String) });
  });

  it('has candidates if it is a name', async () => {
    expect(await resolve('q=nobody%20of%20that%20name%20zzzz')).toEqual({
      ...UNRESOLVED,
      resolved_from: 'name',
      note: expect.any(String),
      candidates: [],
    });
  });
});

describe('candidates', () => {
  it('are listed, at most five and supported, if two artists match equally', async () => {
    const { candidates, ...rest } = await resolve('q=twin');
    expect(rest).toEqual({
      ...UNRESOLVED,
      resolved_from: 'name',
      note: expect.stringContaining('equally well'),
    });
    expect(candidates).toEqual(
      [8, 7, 6, 5, 4].map((number) => ({
        cluster_id: clusterOf(number),
        name: `Twins ${number}`,
        tier: 'cluster',
        distinct_events: number,
      })),
    );
  });

  it('accompany a catalogue artist without a cluster, similar beyond ASCII too', async () => {
    expect(await resolve('q=ÅSA%20ünbound')).toMatchObject({
      cluster_id: null,
      slug: 'åsa',
      resolved_via: 'catalog',
      matched_on: 'name',
      candidates: [{ cluster_id: OTHER_CLUSTER, name: 'Åsa Ünbound Trio', distinct_events: 9 }],
    });
  });

  it('are left out if the artist has a cluster', async () => {
    expect(await resolve('q=mono')).not.toHaveProperty('candidates');
  });

  it('are none without a letter to compare', async () => {
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
           select from read.identity_address where ${NEAR_NAMES} and ${KEY_NAME} % asked.name limit 5) near`,
      );
      expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toMatch(/Bitmap Index Scan on \w*_address_\d+/);
    } finally {
      await client.query('rollback');
      client.release();
    }
  });
});

describe('rejections', () => {
  const rejected = async (query: string): Promise<Record<string, unknown>> => {
    const response = await get(`/api/v2/resolve${query}`);
    expect(response.statusCode, query).toBe(400);
    return response.json();
  };

  it.each(['', '?', '?q=', '?q=%20%09', '?q=&cluster=', '?url=&isrc=%20&artist=&track=', '?locator=a'])(
    'missing_locator: %s',
    async (query) => {
      expect(await rejected(query)).toMatchObject({
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
    expect(await rejected(query)).toMatchObject({ error: 'invalid_locator', param });
  });

  it.each([
    ['?q=a&q=b', 'q'],
    ['?isrc=USRC17607839&isrc=USRC17607839', 'isrc'],
  ])('invalid_query: %s', async (query, path) => {
    expect(await rejected(query)).toMatchObject({
      error: 'invalid_query',
      param: path,
      details: [{ path, message: expect.any(String) }],
    });
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
