import { Value } from '@sinclair/typebox/value';
import pg from 'pg';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { catalogArtist } from '../../../projections/contracts/catalog/artist.ts';
import { artistIdentityBridge } from '../../../projections/contracts/seen/artist-identity-bridge.ts';
import { performingEntity } from '../../../projections/contracts/seen/performing-entity.ts';
import { storefrontItem } from '../../../projections/contracts/storefront/item.ts';
import { storefrontTrack } from '../../../projections/contracts/storefront/track.ts';
import { artistProjection } from '../../../projections/models/artist/project.ts';
import { storefrontReleaseProjection } from '../../../projections/models/storefront-release/project.ts';
import { closed } from '../../../test/support/http/closed-schema.ts';
import { BASE_URL } from '../../../test/support/query/app.ts';
import { withQueryService } from '../../../test/support/query/service.ts';
import { CLUSTER, OTHER_CLUSTER, rowsOf } from '../../../test/support/rows/source-rows.ts';
import { StorefrontReleaseBody } from './route.ts';

/** Two catalogue artists folded into it. */
const MERGED = 'fe'.repeat(32);
const UNKNOWN = 'ab'.repeat(32);
const ODD_ID = 'A side/ß 東京 100%?#';
const ABSENT = '{"object":"storefront.release","present":false,"release":null}';

let now = Date.UTC(2026, 0, 1);

const service = withQueryService({
  rows: [
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
  ],
  projections: [artistProjection, storefrontReleaseProjection],
  parts: { now: () => now },
});
afterEach(() => vi.restoreAllMocks());

const pathOf = (artist: string, item: string): string =>
  `/api/v2/artist/${encodeURIComponent(artist)}/storefront/${encodeURIComponent(item)}`;
const { get } = service;
const release = (artist: string, item: string, headers: Record<string, string> = {}) =>
  get(pathOf(artist, item), headers);

describe('a release', () => {
  it('is returned whole', async () => {
    const response = await release(CLUSTER, '0012');
    expect(response.statusCode).toBe(200);
    const item = (field: string) => ({
      field,
      producer: 'storefront',
      sourceTable: 'storefront.item',
      refreshCadence: 'daily',
      tier: 'observed',
      honestGapState: 'present',
      refreshedAt: '2019-06-30T12:00:00Z',
      stale: false,
    });
    expect(response.json()).toEqual({
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
          item('release'),
          { ...item('tracks'), sourceTable: 'storefront.track' },
          item('economics'),
          item('artwork'),
        ],
        generated_at: '2026-01-01T00:00:00Z',
      },
    });
  });

  it('is the same under the cluster id and under a slug bound to the cluster', async () => {
    const { body } = await release(CLUSTER, '0012');
    for (const artist of ['mono', 'MONO']) expect((await release(artist, '0012')).body).toBe(body);
  });

  it('is found under a slug that falls back to the cluster', async () => {
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

  it('belongs to an over-merged cluster but to none of its catalogue artists', async () => {
    expect((await release(MERGED, 'merged')).json().release.title).toBe('Of whom');
    expect((await release('many', 'merged')).body).toBe(ABSENT);
  });
});

it('is absent alike if it belongs to another artist or does not exist', async () => {
  for (const [artist, item] of [
    [CLUSTER, 'nowhere'],
    [CLUSTER, 'other'],
    ['mono', 'other'],
    ['mono', 'merged'],
    ['änne', '0012'],
    [UNKNOWN, '0012'],
    ['nobody', '0012'],
    // Ids are not normalised.
    ['mono', '12'],
    ['mono', ' 0012'],
    ['änne', 'Other'],
    // Invalid ids, and ids that would be another path if they were not encoded.
    ['mono', 'a\0b'],
    ['mono', '\u0001'],
    ['mono', `artist:${CLUSTER}/0012`],
    ['mono', `/0012`],
  ] as const) {
    const response = await release(artist, item);
    expect(response.statusCode, item).toBe(200);
    expect(response.body, `${artist} ${item}`).toBe(ABSENT);
    expect(response.headers['cache-control']).toBe('private, no-cache');
    expect(response.headers['x-ratelimit-limit']).toBe('60000');
  }
});

it('sends exactly the members of the schema', async () => {
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
  it('return 304 to a client that has the release, under either key', async () => {
    const { etag } = (await release('mono', '0012')).headers;
    expect(etag).toMatch(/^W\/"[0-9a-f]{32}-[0-9a-f]{8}"$/);
    now += 60_000;
    for (const artist of ['mono', CLUSTER]) {
      const response = await release(artist, '0012', { 'if-none-match': String(etag) });
      expect(response.statusCode).toBe(304);
      expect(response.rawPayload).toHaveLength(0);
      expect(response.headers).toMatchObject({ etag, 'cache-control': 'private, no-cache' });
    }
    expect((await release('mono', ODD_ID, { 'if-none-match': String(etag) })).statusCode).toBe(200);
    expect((await release('mono', 'other', { 'if-none-match': String(etag) })).body).toBe(ABSENT);
  });

  it('change when the tracks become stale, which their provenance shows', async () => {
    const fresh = await release('mono', '0012');
    service.setStale(storefrontTrack);
    const stale = await release('mono', '0012');
    expect(stale.headers.etag).not.toBe(fresh.headers.etag);
    const flags = stale.json().release.provenance.map((entry: { stale: boolean }) => entry.stale);
    expect(flags).toEqual([false, true, false, false]);
  });
});

it('runs one statement, by cluster id and by slug', async () => {
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

describe('rejections', () => {
  it.each([
    ['nothing', ''],
    ['blanks', '%20%20'],
    ['201 characters', 'a'.repeat(201)],
    ['201 characters beyond ASCII', encodeURIComponent('🎧'.repeat(201))],
    ['thousands of characters', 'a'.repeat(6_000)],
  ])('of an item id of %s', async (_name, item) => {
    const rejected = await get(`/api/v2/artist/mono/storefront/${item}`);
    expect(rejected.statusCode).toBe(400);
    expect(rejected.json()).toEqual({
      error: 'invalid_query',
      message: expect.any(String),
      hint: expect.any(String),
      doc_url: `${BASE_URL}/docs/api#error-invalid_query`,
      param: 'item',
      details: [{ path: 'item', message: 'must be 1 to 200 characters, not all white space' }],
    });
    expect(rejected.headers['cache-control']).toBe('no-store');
  });

  it('of an invalid key, before the item is parsed', async () => {
    for (const artist of ['%20', 'a%2Fb', 'streaming:abc', 'a'.repeat(201)]) {
      const rejected = await get(`/api/v2/artist/${artist}/storefront/%20`);
      expect(rejected.statusCode).toBe(400);
      expect(rejected.json()).toMatchObject({ error: 'invalid_artist_key', param: 'key' });
    }
  });

  it('of a locator, which is directed to resolve', async () => {
    const rejected = await release('catalog:4711', '0012');
    expect(rejected.statusCode).toBe(400);
    expect(rejected.json()).toMatchObject({
      error: 'use_resolve_for_locator',
      param: 'key',
      next: `${BASE_URL}/api/v2/resolve?catalog=4711`,
    });
  });
});
