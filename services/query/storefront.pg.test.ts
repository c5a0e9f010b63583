import { FormatRegistry } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { artistProjection } from '../../projections/artist/project.ts';
import { registerSources } from '../../projections/registry.ts';
import { catalogArtist } from '../../projections/sources/catalog/artist.ts';
import { artistIdentityBridge } from '../../projections/sources/seen/artist-identity-bridge.ts';
import { performingEntity } from '../../projections/sources/seen/performing-entity.ts';
import { storefrontItem } from '../../projections/sources/storefront/item.ts';
import { storefrontTrack } from '../../projections/sources/storefront/track.ts';
import { storefrontReleaseProjection } from '../../projections/storefront-release/project.ts';
import { closed } from '../../test/closed-schema.ts';
import { fillMirror } from '../../test/fill-mirror.ts';
import { BASE_URL, keyHeader, queryApp } from '../../test/query-app.ts';
import { CLUSTER, OTHER_CLUSTER, rowsOf } from '../../test/rows/source-rows.ts';
import { withDatabase } from '../../test/services/database.ts';
import { rebuild } from '../../workers/project/build-version.ts';
import { StorefrontReleaseBody } from './schemas/storefront.ts';
import { type Staleness, stalenessOf } from './serving/staleness.ts';

const { pool } = withDatabase();
/** Two catalogue artists folded into it. */
const MERGED = 'fe'.repeat(32);
const UNKNOWN = 'ab'.repeat(32);
const ODD_ID = 'A side/ß 東京 100%?#';
const ABSENT = '{"object":"storefront.release","present":false,"release":null}';

let app: FastifyInstance;
let key: { 'x-api-key': string };
let now = Date.UTC(2026, 0, 1);
let staleness: Staleness = stalenessOf([]);
let trackSource = 0;

beforeAll(async () => {
  for (const format of ['date-time', 'date', 'uuid']) FormatRegistry.Set(format, () => true);
  const registry = await registerSources(pool);
  trackSource = registry.idOf(storefrontTrack);
  await fillMirror(pool, registry, [
    rowsOf(catalogArtist, { name: 'Mono', slug: 'Mono' }, { catalog_artist_id: 12, slug: 'many' }),
    rowsOf(
      artistIdentityBridge,
      { catalog_artist_id_count: 1, is_exact: true },
      { cluster_id: MERGED, catalog_artist_id: 12, catalog_artist_id_count: 2, is_exact: true },
    ),
    rowsOf(
      performingEntity,
      { slug: 'mono', distinct_events: 4 },
      { cluster_id: OTHER_CLUSTER, slug: 'Änne', distinct_events: 3 },
    ),
    rowsOf(
      storefrontItem,
      {
        item_id: '0012',
        title: 'First Light',
        release_date: '2031-03-01T00:00:00Z',
        album_url: 'https://mono.shop.test/album/first-light',
        label: 'Own Label',
        tags: ['ambient'],
        artwork_url: 'https://img.shop.test/a1.jpg',
        price_type: 2,
        about: 'Recorded at dawn.',
        credits: 'All by hand.',
        upc: '0012345678905',
        formats: [{ name: 'Cassette', edition: 50 }],
        limited_edition: true,
        smallest_edition_size: 50,
        units_remaining: 20,
        low_stock: false,
        scarcity_score: 0.5,
        distinct_wishers: 3,
        wishlist_demand: 9,
      },
      { item_id: ODD_ID, title: 'Odd', album_url: 'https://mono.shop.test/album/odd' },
      { item_id: 'other', cluster_id: OTHER_CLUSTER, title: 'Another one' },
      { item_id: 'merged', cluster_id: MERGED, title: 'Of whom' },
      { item_id: '東'.repeat(200), title: 'Long' },
    ),
    rowsOf(
      storefrontTrack,
      { item_id: '0012', track_no: 2, title: 'Two', duration_ms: 1_499 },
      {
        item_id: '0012',
        track_no: 1,
        title: 'One',
        duration_ms: 61_500,
        track_url: 'https://mono.shop.test/track/one',
      },
    ),
  ]);
  await rebuild(pool, artistProjection, registry);
  await rebuild(pool, storefrontReleaseProjection, registry);
  app = await queryApp(pool, { now: () => now, staleness: () => staleness });
  key = await keyHeader(pool);
  await release('mono', '0012');
});
afterAll(() => app.close());
afterEach(() => {
  vi.restoreAllMocks();
  staleness = stalenessOf([]);
});

const pathOf = (artist: string, item: string): string =>
  `/api/v2/artist/${encodeURIComponent(artist)}/storefront/${encodeURIComponent(item)}`;
const get = (url: string, headers: Record<string, string> = {}): Promise<LightMyRequestResponse> =>
  app.inject({ url, headers: { ...key, ...headers } });
const release = (artist: string, item: string, headers: Record<string, string> = {}) =>
  get(pathOf(artist, item), headers);

describe('a release', () => {
  it('is answered whole', async () => {
    const answer = await release(CLUSTER, '0012');
    expect(answer.statusCode).toBe(200);
    const item = (honestGapState: string) => ({
      producer: 'storefront',
      sourceTable: 'storefront.item',
      refreshCadence: 'daily',
      tier: 'observed',
      honestGapState,
      refreshedAt: '2019-06-30T12:00:00Z',
      stale: false,
    });
    expect(answer.json()).toEqual({
      object: 'storefront.release',
      present: true,
      release: {
        storefront_item_id: '0012',
        cluster_id: CLUSTER,
        title: 'First Light',
        release_date: '2031-03-01T00:00:00Z',
        album_url: 'https://mono.shop.test/album/first-light',
        tags: ['ambient'],
        label: 'Own Label',
        artwork: [
          {
            url: 'https://img.shop.test/a1.jpg',
            source: 'storefront',
            grain: 'release',
            license: 'all-rights-reserved',
            rehost: false,
            width: 700,
            height: 700,
          },
        ],
        tracks: [
          { track_no: 1, title: 'One', duration_s: 62, track_url: 'https://mono.shop.test/track/one' },
          { track_no: 2, title: 'Two', duration_s: 1, track_url: null },
        ],
        price_type: 2,
        about: 'Recorded at dawn.',
        credits: 'All by hand.',
        economics: {
          upc: '0012345678905',
          formats: [{ name: 'Cassette', edition: 50 }],
          scarcity: {
            limited_edition: true,
            smallest_edition_size: 50,
            units_remaining: 20,
            sell_through: 0.6,
            low_stock: false,
            scarcity_score: 0.5,
            distinct_wishers: 0,
            pressure_index: 0.5 * Math.log(10),
          },
        },
        provenance: [
          item('present'),
          { ...item('present'), sourceTable: 'storefront.track' },
          item('present'),
          item('present'),
        ],
        generated_at: '2026-01-01T00:00:00Z',
      },
    });
  });

  it('is the same under the cluster id and under a slug bound to the cluster, in either case', async () => {
    const { body } = await release(CLUSTER, '0012');
    for (const artist of [CLUSTER.toUpperCase(), 'mono', 'MONO'])
      expect((await release(artist, '0012')).body).toBe(body);
  });

  it('is found under a slug that falls to the cluster', async () => {
    for (const artist of [OTHER_CLUSTER, 'änne', 'ÄNNE']) {
      const { present, release: found } = (await release(artist, 'other')).json();
      expect(present).toBe(true);
      expect(found).toMatchObject({ storefront_item_id: 'other', cluster_id: OTHER_CLUSTER });
    }
  });

  it('is found by an id with a slash, blanks and letters beyond ASCII, and by one of 200 characters', async () => {
    for (const id of [ODD_ID, '東'.repeat(200)]) {
      for (const artist of [CLUSTER, 'mono'])
        expect((await release(artist, id)).json().release.storefront_item_id).toBe(id);
    }
  });

  it('is of an over-merged cluster itself, but of no catalogue artist that folded into it', async () => {
    expect((await release(MERGED, 'merged')).json().release.title).toBe('Of whom');
    expect((await release('many', 'merged')).body).toBe(ABSENT);
  });
});

it('says no more of a release of another artist than of one that is nowhere', async () => {
  for (const [artist, item] of [
    [CLUSTER, 'nowhere'],
    [CLUSTER, 'other'],
    ['mono', 'other'],
    ['mono', 'merged'],
    ['änne', '0012'],
    [UNKNOWN, '0012'],
    ['nobody', '0012'],
    // Ids are taken as they are.
    ['mono', '12'],
    ['mono', ' 0012'],
    ['änne', 'Other'],
    // What no id can hold, and what would be another address if it were not kept apart.
    ['mono', 'a\0b'],
    ['mono', '\u0001'],
    ['mono', `artist:${CLUSTER}/0012`],
    ['mono', `/0012`],
  ] as const) {
    const answer = await release(artist, item);
    expect(answer.statusCode, item).toBe(200);
    expect(answer.body, `${artist} ${item}`).toBe(ABSENT);
    expect(answer.headers['cache-control']).toBe('private, no-cache');
    expect(answer.headers['x-ratelimit-limit']).toBe('60000');
  }
});

it('sends what the schema declares, and nothing else', async () => {
  const schema = closed(StorefrontReleaseBody);
  for (const [artist, item] of [
    [CLUSTER, '0012'],
    ['mono', ODD_ID],
    ['änne', 'other'],
    ['mono', 'nowhere'],
  ] as const) {
    const body = (await release(artist, item)).json();
    expect([...Value.Errors(schema, body)], item).toEqual([]);
  }
});

describe('validators', () => {
  it('answer 304 to who has the release already, under either address', async () => {
    const { etag } = (await release('mono', '0012')).headers;
    expect(etag).toMatch(/^W\/"[0-9a-f]{32}-[0-9a-f]{8}"$/);
    now += 60_000;
    for (const artist of ['mono', CLUSTER]) {
      const answer = await release(artist, '0012', { 'if-none-match': String(etag) });
      expect(answer.statusCode).toBe(304);
      expect(answer.rawPayload).toHaveLength(0);
      expect(answer.headers).toMatchObject({ etag, 'cache-control': 'private, no-cache' });
    }
    expect((await release('mono', ODD_ID, { 'if-none-match': String(etag) })).statusCode).toBe(200);
    expect((await release('mono', 'other', { 'if-none-match': String(etag) })).body).toBe(ABSENT);
  });

  it('change when the tracks become stale, which their provenance says', async () => {
    const fresh = await release('mono', '0012');
    staleness = stalenessOf([trackSource]);
    const stale = await release('mono', '0012');
    expect(stale.headers.etag).not.toBe(fresh.headers.etag);
    const flags = stale.json().release.provenance.map((entry: { stale: boolean }) => entry.stale);
    expect(flags).toEqual([false, true, false, false]);
  });
});

it('costs one statement, by cluster id and by slug', async () => {
  const statements = vi.spyOn(pg.Client.prototype, 'query');
  for (const [artist, item] of [
    [CLUSTER, '0012'],
    ['mono', '0012'],
    ['änne', 'other'],
    ['mono', 'other'],
    ['nobody', '0012'],
  ] as const) {
    statements.mockClear();
    expect((await release(artist, item)).statusCode).toBe(200);
    expect(statements, `${artist} ${item}`).toHaveBeenCalledTimes(1);
  }
});

describe('what is refused', () => {
  it.each([
    ['nothing', ''],
    ['blanks', '%20%20'],
    ['201 characters', 'a'.repeat(201)],
    ['201 characters beyond ASCII', encodeURIComponent('🎧'.repeat(201))],
    ['thousands of characters', 'a'.repeat(6_000)],
  ])('is an item id of %s', async (_name, item) => {
    const refused = await get(`/api/v2/artist/mono/storefront/${item}`);
    expect(refused.statusCode).toBe(400);
    expect(refused.json()).toEqual({
      error: 'invalid_query',
      message: expect.any(String),
      hint: expect.any(String),
      doc_url: `${BASE_URL}/docs/api#error-invalid_query`,
      param: 'item',
      details: [{ path: 'item', message: 'must be 1 to 200 characters, not all of them white space' }],
    });
    expect(refused.headers['cache-control']).toBe('no-store');
  });

  it('is a key that is none, before anything is said of the item', async () => {
    for (const artist of ['%20', 'a%2Fb', 'streaming:abc', 'a'.repeat(201)]) {
      const refused = await get(`/api/v2/artist/${artist}/storefront/%20`);
      expect(refused.statusCode).toBe(400);
      expect(refused.json()).toMatchObject({ error: 'invalid_artist_key', param: 'key' });
    }
  });

  it('is a locator, which is sent to resolve', async () => {
    const refused = await release('catalog:4711', '0012');
    expect(refused.statusCode).toBe(400);
    expect(refused.json()).toMatchObject({
      error: 'use_resolve_for_locator',
      param: 'key',
      next: `${BASE_URL}/api/v2/resolve?catalog=4711`,
    });
  });

  it('is a parameter that the route does not take', async () => {
    const refused = await get(`${pathOf('mono', '0012')}?fields=tracks`);
    expect(refused.statusCode).toBe(400);
    expect(refused.json()).toMatchObject({ error: 'invalid_query', param: 'fields' });
  });
});
