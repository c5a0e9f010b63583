import { Value } from '@sinclair/typebox/value';
import { describe, expect, it } from 'vitest';
import { catalogArtist } from '../../../projections/contracts/catalog/artist.ts';
import { catalogArtistBehavior } from '../../../projections/contracts/catalog/artist-behavior.ts';
import { artistIdentityBridge } from '../../../projections/contracts/seen/artist-identity-bridge.ts';
import { artistMomentum } from '../../../projections/contracts/seen/artist-momentum.ts';
import { subjectRef } from '../../../projections/engine/projection.ts';
import { documentId } from '../../../projections/engine/store/document-id.ts';
import { documentTable, liveVersion, lookupTable } from '../../../projections/engine/store/version.ts';
import { browseProjection } from '../../../projections/models/browse/project.ts';
import { PAGE } from '../../../projections/models/browse/read.ts';
import { closed } from '../../../test/support/http/closed-schema.ts';
import { clusterOf } from '../../../test/support/projections/artists.ts';
import { withQueryService } from '../../../test/support/query/service.ts';
import { rowsOf } from '../../../test/support/rows/source-rows.ts';
import { ErrorBody } from '../../http/errors.ts';
import { ArtistsBody } from './route.ts';

const ARTISTS = 620;

const GENRES = ['Electronic', 'Jazz', 'Folk, World, & Country', 'electronic'];
const STYLES = ['Techno', 'House', 'Ambient', 'Électro 12"', 'Dub'];
const TIERS = ['breakout', 'rising', 'climbing', 'steady', null, null, null, null] as const;

/** Independent of tier and genre, which depend on the remainder of the number; one artist has a style of its own. */
const stylesOf = (id: number): string[] => [
  ...STYLES.filter((_style, place) => (id >> (3 + place)) % 2 === 1).slice(0, 3),
  ...(id === 5 ? ['Sea Shanties'] : []),
];

/** The rows of each artist, identified by its number. */
const world = Array.from({ length: ARTISTS }, (_, index) => {
  const id = index + 1;
  return {
    id,
    genre: GENRES[id % 3] ?? null,
    styles: stylesOf(id),
    tier: TIERS[(id * 7) % TIERS.length] ?? null,
    momentum: ((id * 37) % 11) - 5,
    owners: (id * 13) % 40,
  };
});
type Artist = (typeof world)[number];

const tracked = world.filter(({ tier }) => tier !== null);
const service = withQueryService({
  rows: [
    rowsOf(
      catalogArtist,
      ...world.map(({ id }) => ({ catalog_artist_id: id, name: `Artist ${id}`, slug: `artist-${id}` })),
    ),
    rowsOf(
      catalogArtistBehavior,
      ...world.map(({ id, genre, styles, owners }) => ({
        catalog_artist_id: id,
        primary_genre: genre,
        primary_styles: styles,
        owner_reach: owners,
      })),
    ),
    rowsOf(
      artistIdentityBridge,
      ...tracked.map(({ id }) => ({
        cluster_id: clusterOf(id),
        catalog_artist_id: id,
        catalog_artist_id_count: 1,
        is_exact: true,
      })),
    ),
    rowsOf(
      artistMomentum,
      ...tracked.map(({ id, tier, momentum }) => ({
        cluster_id: clusterOf(id),
        emergence_tier: tier ?? 'steady',
        momentum_tier: 'dormant' as const,
        momentum_score: momentum,
        emergence_score: id % 3,
      })),
    ),
  ],
  projections: [browseProjection],
});
const { pool } = service;

async function browse(query: Readonly<Record<string, string>> = {}): Promise<ArtistsBody> {
  const response = await service
    .app()
    .inject({ url: '/api/v2/artists', query: { ...query }, headers: service.key() });
  expect(response.statusCode, response.body).toBe(200);
  const body = response.json();
  expect([...Value.Errors(closed(ArtistsBody), body)]).toEqual([]);
  expect(body.returned).toBe(body.items.length);
  return body;
}

const ids = ({ items }: ArtistsBody): number[] => items.map((item) => item.catalog_artist_id);

const documentOf = ({ id }: Artist): Buffer => documentId(subjectRef('catalog-artist', id));

/** The ids of the artists in the order of a list. */
function expectedIds(
  sort: 'discovery' | 'reach',
  isListed: (artist: Artist) => boolean = () => true,
): number[] {
  const shownOwners = ({ owners }: Artist) => (owners < 5 ? 0 : owners);
  const rank = ({ tier }: Artist) => ['breakout', 'rising', 'climbing', 'steady', null].indexOf(tier);
  const byDocument = (a: Artist, b: Artist) => documentOf(a).compare(documentOf(b));
  const momentum = (artist: Artist) => (artist.tier === null ? 0 : artist.momentum);
  const orders = {
    discovery: (a: Artist, b: Artist) =>
      rank(a) - rank(b) || momentum(b) - momentum(a) || shownOwners(b) - shownOwners(a) || byDocument(a, b),
    reach: (a: Artist, b: Artist) => shownOwners(b) - shownOwners(a) || byDocument(a, b),
  };
  return world
    .filter(isListed)
    .sort(orders[sort])
    .map(({ id }) => id);
}

async function everyPage(query: Readonly<Record<string, string>>, limit: number): Promise<number[]> {
  const found: number[] = [];
  let body = await browse({ ...query, limit: String(limit) });
  for (let page = 1; page <= Math.ceil(world.length / limit); page++) {
    found.push(...ids(body));
    const next = body._links?.next;
    if (next === undefined) return found;
    const response = await service.app().inject({ url: next, headers: service.key() });
    expect(response.statusCode, next).toBe(200);
    body = response.json();
  }
  throw new Error(`the list of ${world.length} artists does not end: ${found.length} were returned`);
}

describe('the list of all artists', () => {
  it('returns the first 50 in discovery order by default', async () => {
    const body = await browse();
    expect(ids(body)).toEqual(expectedIds('discovery').slice(0, 50));
    expect(body).toMatchObject({
      object: 'artist.browse',
      state: 'present',
      returned: 50,
      filters_applied: { genre: null, style: null, tier: null, sort: 'discovery' },
      _links: { next: '/api/v2/artists?sort=discovery&limit=50&offset=50' },
    });
    expect(body.note).toBeUndefined();
  });

  it('returns every field of each artist', async () => {
    const [first] = (await browse({ limit: '1' })).items;
    const artist = world.find(({ id }) => id === first?.catalog_artist_id);
    expect(first).toEqual({
      display: `Artist ${artist?.id}`,
      slug: `artist-${artist?.id}`,
      catalog_artist_id: artist?.id,
      cluster_id: clusterOf(artist?.id ?? 0),
      primary_genre: artist?.genre,
      primary_styles: artist?.styles,
      emergence_tier: 'breakout',
      momentum_tier: 'dormant',
      owner_reach: artist?.owners,
    });
  });

  it.each(['discovery', 'reach'] as const)(
    'by %s is one list in pages of any size, up to 500',
    async (sort) => {
      const expected = expectedIds(sort).slice(0, 500);
      for (const limit of [100, 77, 13]) expect(await everyPage({ sort }, limit)).toEqual(expected);
    },
  );

  it('never reveals fewer than five owners and gives those artists equal rank', async () => {
    const found = new Map<number, number | null>();
    for (let offset = 0; offset < 500; offset += 100)
      for (const item of (await browse({ limit: '100', offset: String(offset) })).items)
        found.set(item.catalog_artist_id, item.owner_reach);
    for (const { id, owners } of world)
      if (found.has(id)) expect(found.get(id)).toBe(owners < 5 ? null : owners);
    expect([...found.values()].filter((owners) => owners === null).length).toBeGreaterThan(10);
  });
});

describe('filters', () => {
  it.each([
    ['a genre', { genre: 'Electronic' }, (a: Artist) => a.genre === 'Electronic'],
    ['a genre with commas', { genre: 'Folk, World, & Country' }, (a: Artist) => a.genre?.startsWith('Folk')],
    ['a style', { style: 'Techno' }, (a: Artist) => a.styles.includes('Techno')],
    ['a style of any characters', { style: 'Électro 12"' }, (a: Artist) => a.styles.includes('Électro 12"')],
    [
      'a genre and a style',
      { genre: 'Jazz', style: 'House' },
      (a: Artist) => a.genre === 'Jazz' && a.styles.includes('House'),
    ],
    ['a tier', { tier: 'rising' }, (a: Artist) => a.tier === 'rising'],
    ['steady, which climbing is not', { tier: 'steady' }, (a: Artist) => a.tier === 'steady'],
    [
      'all of them',
      { genre: 'Jazz', style: 'House', tier: 'breakout' },
      (a: Artist) => a.genre === 'Jazz' && a.styles.includes('House') && a.tier === 'breakout',
    ],
  ])('by %s list the matching artists, in both orders', async (_name, query, isListed) => {
    for (const sort of ['discovery', 'reach'] as const) {
      const expected = expectedIds(sort, (artist) => isListed(artist) === true);
      expect(expected.length).toBeGreaterThan(5);
      expect(await everyPage({ ...query, sort }, 100)).toEqual(expected.slice(0, 500));
      const page = await browse({ ...query, sort, limit: '3', offset: '2' });
      expect(ids(page)).toEqual(expected.slice(2, 5));
      expect(page.filters_applied).toEqual({ genre: null, style: null, tier: null, ...query, sort });
    }
  });

  it.each([
    [{ genre: 'Techno' }, 'No artist has the primary genre "Techno". Names are exact and case-sensitive.'],
    [{ genre: 'jazz' }, 'No artist has the primary genre "jazz". Names are exact and case-sensitive.'],
    [{ style: '' }, 'No artist has the primary style "". Names are exact and case-sensitive.'],
    [
      { style: 'Techno\u0000' },
      String.raw`No artist has the primary style "Techno\u0000". Names are exact and case-sensitive.`,
    ],
    [{ genre: '%' }, 'No artist has the primary genre "%". Names are exact and case-sensitive.'],
    [
      { genre: 'Blues', style: 'Delta' },
      'No artist has the primary genre "Blues" or the primary style "Delta". Names are exact and case-sensitive.',
    ],
    [
      { genre: 'Jazz', style: 'Delta' },
      'No artist has the primary style "Delta". Names are exact and case-sensitive.',
    ],
    [{ genre: 'Jazz', offset: '400' }, 'The list ends before offset.'],
  ])('with %o return an empty list with a note', async (query, note) => {
    const body = await browse(query);
    expect(body).toMatchObject({ state: 'present', returned: 0, items: [], note });
    expect(body._links).toBeUndefined();
  });

  it('that match no artist return that note at any offset', async () => {
    for (const offset of ['0', '400'])
      expect((await browse({ genre: 'electronic', style: 'Sea Shanties', offset })).note).toMatch(
        /genre "electronic"/,
      );
    expect((await browse({ genre: 'Jazz', style: 'Sea Shanties', offset: '400' })).note).toBe(
      'No artist matches all filters together.',
    );
    expect((await browse({ style: 'Sea Shanties', tier: 'breakout', offset: '400' })).note).toBe(
      'No artist matches all filters together.',
    );
    expect((await browse({ tier: 'breakout', offset: '400' })).note).toBe('The list ends before offset.');
    await pool.query(`alter view read.browse_address rename to browse_address_away;
      create view read.browse_address as select * from read.browse_address_away where false`);
    try {
      for (const offset of ['0', '400']) {
        expect((await browse({ tier: 'breakout', offset })).note).toBe(
          'No artist is currently in the tier breakout.',
        );
        expect((await browse({ offset })).note).toBe('No artists are listed yet.');
      }
    } finally {
      await pool.query(
        'drop view read.browse_address; alter view read.browse_address_away rename to browse_address',
      );
    }
  });

  it('that no artist satisfies together return another note than unknown values', async () => {
    expect((await browse({ genre: 'Jazz', style: 'Sea Shanties' })).note).toBe(
      'No artist matches all filters together.',
    );
    expect(ids(await browse({ style: 'Sea Shanties' }))).toEqual([5]);
  });
});

describe('parameters', () => {
  it.each([
    ['limit', { limit: '0' }],
    ['limit', { limit: '101' }],
    ['limit', { limit: 'ten' }],
    ['offset', { offset: '-1' }],
    ['offset', { offset: '1.5' }],
    ['offset', { offset: '451' }],
    ['offset', { offset: '401', limit: '100' }],
    ['tier', { tier: 'climbing' }],
    ['tier', { tier: '' }],
    ['sort', { sort: 'name' }],
    ['genre', { genre: 'x'.repeat(81) }],
    ['style', { style: 'x'.repeat(81) }],
  ])('reject an invalid %s: %o', async (param, query) => {
    const response = await service.app().inject({
      url: '/api/v2/artists',
      query: { ...query } as Record<string, string>,
      headers: service.key(),
    });
    expect(response.statusCode).toBe(400);
    const body = response.json();
    expect([...Value.Errors(closed(ErrorBody), body)]).toEqual([]);
    expect(body).toMatchObject({ error: 'invalid_query', param, details: [{ path: param }] });
  });

  it('are accepted at their limits', async () => {
    expect((await browse({ offset: '400', limit: '100' })).returned).toBe(100);
    expect((await browse({ offset: '499', limit: '1' }))._links).toBeUndefined();
    expect((await browse({ genre: 'x'.repeat(80) })).returned).toBe(0);
    expect((await browse({ genre: '😀'.repeat(80) })).returned).toBe(0);
  });

  it('accept a null offset and shorten the last page', async () => {
    for (const offset of ['', 'null'])
      expect(ids(await browse({ offset, limit: '5' }))).toEqual(expectedIds('discovery').slice(0, 5));
    const response = await browse({ offset: '420', limit: '60' });
    expect(response._links?.next).toBe('/api/v2/artists?sort=discovery&limit=20&offset=480');
  });

  it('need an API key', async () => {
    expect((await service.app().inject('/api/v2/artists')).json()).toMatchObject({
      error: 'missing_api_key',
    });
  });
});

describe('if the list cannot be read', () => {
  const degraded = {
    object: 'artist.browse',
    state: 'degraded',
    returned: 0,
    filters_applied: { genre: 'Jazz', style: null, tier: null, sort: 'discovery' },
    items: [],
    note: 'The list could not be read. Repeat the request later.',
  };

  it('the response is empty and degraded', async () => {
    await pool.query('alter view read.browse_address rename to browse_address_away');
    try {
      expect(await browse({ genre: 'Jazz' })).toEqual(degraded);
    } finally {
      await pool.query('alter view read.browse_address_away rename to browse_address');
    }
    expect((await browse({ genre: 'Jazz' })).state).toBe('present');
  });
});

it('reads the index in order and only as far as the page', async () => {
  const version = await liveVersion(pool, 'browse');
  if (version === null) throw new Error('browse is not live');
  await pool.query(`analyze ${lookupTable(version)}, ${documentTable(version)}`);
  const client = await pool.connect();
  try {
    await client.query(
      'begin; set local enable_seqscan = off; set local plan_cache_mode = force_generic_plan',
    );
    await client.query(`prepare page (text[], text[], int, int8, int8) as ${PAGE}`);
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(
      `explain (analyze, timing off, summary off) execute page (
         array[E'\\x1f\\x1f0'], array[E'\\x1f\\x1f5'], 3, 20, 30)`,
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    const scan = plan.split('\n').find((line) => line.includes('_address_') && line.includes('Scan'));
    expect(scan).toMatch(/Index (?:Only )?Scan using \w*_address_0/);
    expect(Number(/actual rows=(\d+)/.exec(scan ?? '')?.[1])).toBe(50);
  } finally {
    await client.query('rollback');
    client.release();
  }
});
