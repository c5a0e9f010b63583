import { Value } from '@sinclair/typebox/value';
import type { LightMyRequestResponse } from 'fastify';
import pg from 'pg';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { catalogArtist } from '../../../projections/contracts/catalog/artist.ts';
import { artistIdentityBridge } from '../../../projections/contracts/seen/artist-identity-bridge.ts';
import { artistMomentum } from '../../../projections/contracts/seen/artist-momentum.ts';
import { festival } from '../../../projections/contracts/seen/festival.ts';
import { festivalEdition } from '../../../projections/contracts/seen/festival-edition.ts';
import { festivalLineup } from '../../../projections/contracts/seen/festival-lineup.ts';
import { liveVersion } from '../../../projections/engine/store/version.ts';
import { festivalProjection } from '../../../projections/models/festival/project.ts';
import { closed } from '../../../test/support/http/closed-schema.ts';
import { changeDeliverer } from '../../../test/support/ingest/deliver-change.ts';
import { differingKeys, documentsOf } from '../../../test/support/projections/documents.ts';
import { rebuild } from '../../../test/support/projections/rebuild.ts';
import { BASE_URL } from '../../../test/support/query/app.ts';
import { type TestQueryService, withQueryService } from '../../../test/support/query/service.ts';
import { rowsOf } from '../../../test/support/rows/source-rows.ts';
import { FestivalDossierBody } from './route.ts';

const [A, B, C] = ['a1', 'b2', 'c3'].map((pair) => pair.repeat(32)) as [string, string, string];
const MEMBERS = [
  'contract_version',
  'grain',
  'slug',
  'display',
  'id',
  'identity',
  'editions',
  'lineup_signals',
  'provenance',
  'generated_at',
];
const DossierSchema = closed(FestivalDossierBody);

/** Requests a festival and validates the response against the schema of the route. */
type Ask = (slug: string, headers?: Record<string, string>) => Promise<LightMyRequestResponse>;

const asker =
  ({ get }: TestQueryService): Ask =>
  async (slug, headers = {}) => {
    const response = await get(`/api/v2/dossier/festival/${slug}`, headers);
    if (response.statusCode === 200) {
      expect([...Value.Errors(DossierSchema, response.json())], slug).toEqual([]);
      expect(Object.keys(response.json()), slug).toEqual(MEMBERS);
    }
    return response;
  };

const states = (response: LightMyRequestResponse): string[] => {
  const { editions, lineup_signals, provenance } = response.json();
  const sourceStates = provenance.map((entry: { honestGapState: string }) => entry.honestGapState);
  return [editions.state, lineup_signals.state, ...sourceStates];
};

describe('a festival', () => {
  const editionOf = (edition_id: string, festival_id: string, year: number) => ({
    edition_id,
    festival_id,
    year,
  });
  const service = withQueryService({
    rows: [
      rowsOf(
        festival,
        {
          festival_id: 'f1',
          name: 'Austin City Limits',
          slug: 'Austin-City-Limits',
          aliases: ['ACL Fest', 'dead'],
          merged_slugs: ['ACL', 'dead'],
          country: 'US',
        },
        { festival_id: 'f0', name: 'Dead', slug: 'dead', aliases: ['only-the-dead'] },
        { festival_id: 'f2', name: 'Sónar 東京', slug: 'Sónar-東京' },
        { festival_id: 'f3', name: 'Unbooked', slug: 'unbooked', aliases: ['ACL'] },
        { festival_id: 'f4', slug: 'middle', merged_slugs: ['oldest'] },
        { festival_id: 'f5', slug: 'youngest', merged_slugs: ['middle'] },
        { festival_id: 'f6', slug: 'ring-a', merged_slugs: ['ring-b'] },
        { festival_id: 'f7', slug: 'ring-b', merged_slugs: ['ring-a'] },
      ),
      rowsOf(
        festivalEdition,
        editionOf('e1', 'f1', 2018),
        { ...editionOf('e2', 'f1', 2019), title: 'Nineteen', starts_on: '2019-10-04' },
        { ...editionOf('e3', 'f1', 2019), venue: 'Zilker Park', ends_on: '2019-10-13' },
        editionOf('e4', 'f3', 2019),
        editionOf('e5', 'gone', 2019),
      ),
      rowsOf(
        festivalLineup,
        { edition_id: 'e1', festival_id: 'f1', artist_cluster_id: A, artist_name: 'Anna' },
        { edition_id: 'e2', festival_id: 'f1', artist_cluster_id: A, artist_name: 'Anna' },
        {
          edition_id: 'e3',
          festival_id: 'f1',
          artist_cluster_id: A,
          artist_name: 'Anna',
          stage: 'Main',
          plays_on: '2019-10-05',
          billing_order: 1,
        },
        { edition_id: 'e3', festival_id: 'f1', artist_cluster_id: B, artist_name: 'Bob' },
      ),
      rowsOf(
        artistMomentum,
        { cluster_id: A, emergence_tier: 'rising' },
        { cluster_id: B, emergence_tier: 'steady' },
        { cluster_id: C, emergence_tier: 'breakout' },
      ),
    ],
    projections: [festivalProjection],
  });
  const ask = asker(service);
  beforeAll(() => ask('any'));
  afterEach(() => vi.restoreAllMocks());

  it('is returned whole, with two entries of a year as one edition', async () => {
    const { provenance, generated_at, contract_version, ...rest } = (await ask('austin-city-limits')).json();
    const anna = { clusterId: A, name: 'Anna', _links: { artist: `/api/v2/artist/${A}` } };
    const bob = { clusterId: B, name: 'Bob', _links: { artist: `/api/v2/artist/${B}` } };
    const unplaced = { stage: null, playsOn: null, billingOrder: null };
    expect(rest).toEqual({
      grain: 'festival',
      slug: 'austin-city-limits',
      display: 'Austin City Limits',
      id: 'f1',
      identity: {
        festivalId: 'f1',
        name: 'Austin City Limits',
        aliases: ['ACL Fest', 'dead'],
        mergedSlugs: ['acl', 'dead'],
        country: 'US',
        city: null,
        websiteUrl: null,
      },
      editions: {
        state: 'present',
        signals: {
          count: 2,
          firstYear: 2018,
          latestYear: 2019,
          items: [
            {
              editionId: 'e2',
              year: 2019,
              title: 'Nineteen',
              startsOn: '2019-10-04',
              endsOn: '2019-10-13',
              venue: 'Zilker Park',
              city: null,
              country: null,
              cancelled: false,
              lineupCount: 2,
              lineup: [
                { ...anna, stage: 'Main', playsOn: '2019-10-05', billingOrder: 1 },
                { ...bob, ...unplaced },
              ],
            },
            {
              editionId: 'e1',
              year: 2018,
              title: null,
              startsOn: null,
              endsOn: null,
              venue: null,
              city: null,
              country: null,
              cancelled: false,
              lineupCount: 1,
              lineup: [{ ...anna, ...unplaced }],
            },
          ],
        },
      },
      lineup_signals: {
        state: 'present',
        signals: { distinctArtists: 2, returningArtists: 1, returningRatio: 0.5, emergingArtists: 1 },
      },
    });
    const entry = (field: string, table: string, cadence: string, tier: string) => ({
      field,
      producer: 'seen',
      sourceTable: `seen.${table}`,
      refreshCadence: cadence,
      tier,
      honestGapState: 'present',
      refreshedAt: '2019-06-30T12:00:00Z',
      stale: false,
    });
    expect(provenance).toEqual([
      entry('identity', 'festival', 'weekly', 'observed'),
      entry('editions', 'festival_edition', 'weekly', 'observed'),
      entry('editions.items', 'festival_lineup', 'weekly', 'observed'),
      entry('lineup_signals', 'festival_lineup', 'weekly', 'observed'),
      entry('lineup_signals', 'festival_edition', 'weekly', 'observed'),
      entry('lineup_signals.emergingArtists', 'artist_momentum', 'daily', 'derived'),
    ]);
  });

  it.each([
    ['its slug in another case', 'AUSTIN-city-limits'],
    ['a merged slug, before the alias of another', 'acl'],
    ['the slug of the festival merged into it, still on file', 'Dead'],
    ['an alias', 'ACL%20fest'],
  ])('is found by %s', async (_name, requested) => {
    expect((await ask(requested)).json()).toMatchObject({ slug: 'austin-city-limits', id: 'f1' });
  });

  it.each([
    ['oldest', 'f5'],
    ['middle', 'f5'],
    ['youngest', 'f5'],
    ['ring-a', 'f6'],
    ['ring-b', 'f7'],
  ])('follows merges to the last survivor and survives circles: %s', async (requested, id) => {
    expect((await ask(requested)).json()).toMatchObject({ id });
  });

  it('is found by a percent-encoded slug beyond ASCII, in either case', async () => {
    for (const requested of ['sónar-東京', 'SÓNAR-東京']) {
      expect((await ask(encodeURIComponent(requested))).json()).toMatchObject({
        slug: 'sónar-東京',
        display: 'Sónar 東京',
        id: 'f2',
      });
    }
  });

  it('without editions or bookings has empty facets', async () => {
    const bare = await ask('s%C3%B3nar-%E6%9D%B1%E4%BA%AC');
    expect(bare.json()).toMatchObject({
      editions: { state: 'empty', signals: null },
      lineup_signals: { state: 'empty', signals: null },
    });
    expect(states(bare)).toEqual(['empty', 'empty', 'present', ...Array.from({ length: 5 }, () => 'empty')]);
    const unbooked = await ask('unbooked');
    const sourceStates = ['present', 'present', 'empty', 'empty', 'present', 'empty'];
    expect(states(unbooked)).toEqual(['present', 'empty', ...sourceStates]);
    expect(unbooked.json().editions.signals).toMatchObject({
      count: 1,
      items: [{ lineupCount: 0, lineup: [] }],
    });
  });

  it('that no source names is returned with gaps under the requested slug', async () => {
    for (const [requested, slug] of [
      ['Nobody', 'nobody'],
      ['gone', 'gone'],
      ['a%2Fb:c', 'a/b:c'],
      [encodeURIComponent('🎪'.repeat(200)), '🎪'.repeat(200)],
    ] as const) {
      const response = await ask(requested);
      expect(response.statusCode).toBe(200);
      expect(response.json()).toMatchObject({ slug, display: slug, id: null, identity: null });
      expect(response.json().editions).toEqual({ state: 'honest_gap', signals: null });
      expect(new Set(states(response))).toEqual(new Set(['honest_gap']));
    }
  });

  it.each([
    ['an empty slug', ''],
    ['blanks', '%20%20'],
    ['201 characters', 'a'.repeat(201)],
    ['201 characters beyond ASCII', encodeURIComponent('🎪'.repeat(201))],
    ['thousands of characters', 'a'.repeat(6_000)],
    ['NUL', 'a%00b'],
  ])('is not looked up by %s', async (_name, requested) => {
    const rejected = await ask(requested);
    expect(rejected.statusCode).toBe(400);
    expect(rejected.json()).toMatchObject({
      error: 'invalid_query',
      param: 'slug',
      details: [{ path: 'slug', message: expect.stringContaining('1 to 200 characters') }],
      doc_url: `${BASE_URL}/docs/api#error-invalid_query`,
    });
  });

  it('returns 304 to a client that has it, by any of its names', async () => {
    const { etag } = (await ask('acl')).headers;
    expect(etag).toMatch(/^W\/"/);
    const again = await ask('austin-city-limits', { 'if-none-match': String(etag) });
    expect(again.statusCode).toBe(304);
    expect(again.rawPayload).toHaveLength(0);
    expect((await ask('unbooked', { 'if-none-match': String(etag) })).statusCode).toBe(200);
  });

  it('is read with one statement', async () => {
    const statements = vi.spyOn(pg.Client.prototype, 'query');
    for (const slug of ['austin-city-limits', 'acl', 'acl%20fest', 'nobody']) {
      statements.mockClear();
      expect((await ask(slug)).statusCode).toBe(200);
      expect(statements, slug).toHaveBeenCalledTimes(1);
    }
  });
});

describe('a change', () => {
  const service = withQueryService({ projections: [festivalProjection] });
  const { pool, registry } = service;
  const ask = asker(service);
  const change = changeDeliverer(pool, registry);

  beforeAll(async () => {
    await change(festival, { festival_id: 'f1', slug: 'one' });
    await change(festival, { festival_id: 'f2', slug: 'two' });
  });

  it('to the first edition turns every gap into an empty facet', async () => {
    for (const slug of ['one', 'two'])
      expect(states(await ask(slug)).slice(0, 2)).toEqual(['honest_gap', 'honest_gap']);
    expect(await change(festivalEdition, { edition_id: 'e2', festival_id: 'f2', year: 2018 })).toMatchObject({
      changed: 2,
    });
    expect(states(await ask('one')).slice(0, 2)).toEqual(['empty', 'honest_gap']);
    expect(states(await ask('two')).slice(0, 2)).toEqual(['present', 'honest_gap']);
    await change(festivalEdition, { edition_id: 'e1', festival_id: 'f1', year: 2018 });
    await change(festivalLineup, { edition_id: 'e1', festival_id: 'f1', artist_cluster_id: A });
    expect(states(await ask('two')).slice(0, 2)).toEqual(['present', 'empty']);
  });

  it('to one row rewrites only its document', async () => {
    const one = { marks: 1, changed: 1, unchanged: 0, removed: 0 };
    expect(await change(festival, { festival_id: 'f1', slug: 'one', city: 'Austin' })).toEqual(one);
    const edition = { edition_id: 'e1', festival_id: 'f1', year: 2018, venue: 'Park' };
    expect(await change(festivalEdition, edition)).toEqual(one);
    const booked = { edition_id: 'e1', festival_id: 'f1', artist_cluster_id: A, stage: 'Main' };
    expect(await change(festivalLineup, booked)).toEqual(one);
    expect((await ask('one')).json()).toMatchObject({
      identity: { city: 'Austin' },
      editions: { signals: { items: [{ venue: 'Park', lineup: [{ stage: 'Main' }] }] } },
    });
  });

  it('to an equal row rewrites nothing', async () => {
    expect(await change(festival, { festival_id: 'f1', slug: 'one', city: 'Austin' })).toMatchObject({
      marks: 0,
      changed: 0,
    });
  });

  it('to momentum rewrites only the festivals that booked the artist', async () => {
    // The first row of all turns an unknown count into zero, and a gap into an empty source.
    expect(await change(artistMomentum, { cluster_id: C, emergence_tier: 'rising' })).toMatchObject({
      changed: 2,
    });
    expect(await emerging('one')).toBe(0);

    expect(await change(artistMomentum, { cluster_id: A, emergence_tier: 'rising' })).toEqual({
      // The artist; its festival is a dependent.
      marks: 1,
      changed: 1,
      unchanged: 1,
      removed: 0,
    });
    expect(await emerging('one')).toBe(1);

    // A change that moves no count still moves the time of the momentum.
    const again = { cluster_id: A, emergence_tier: 'breakout' as const };
    expect(await change(artistMomentum, again)).toMatchObject({ changed: 1, unchanged: 1 });
    expect(await emerging('one')).toBe(1);
    // An artist without bookings.
    expect(await change(artistMomentum, { cluster_id: C, emergence_tier: 'steady' })).toMatchObject({
      marks: 1,
      changed: 0,
    });
    expect(await change(artistMomentum, { cluster_id: A, emergence_tier: 'steady' })).toMatchObject({
      changed: 1,
    });
    expect(await emerging('one')).toBe(0);
  });

  it('to what the catalogue knows of an artist moves the links of the festivals that booked the artist', async () => {
    const bind = { cluster_id: A, catalog_artist_id: 7, catalog_artist_id_count: 1, is_exact: true };
    const known = { catalog_artist_id: 7, slug: 'Anna' };
    expect(await artistLink('one')).toBe(`/api/v2/artist/${A}`);
    await change(catalogArtist, known);
    expect(await change(artistIdentityBridge, bind)).toMatchObject({ changed: 1 });
    expect(await artistLink('one')).toBe('/api/v2/artist/anna');
    await change(catalogArtist, { ...known, slug: 'anna-2' });
    expect(await artistLink('one')).toBe('/api/v2/artist/anna-2');
    await change(artistIdentityBridge, { ...bind, catalog_artist_id_count: 2 });
    expect(await artistLink('one')).toBe(`/api/v2/artist/${A}`);
    await change(artistIdentityBridge, bind);
    await change(catalogArtist, known, 'delete');
    expect(await artistLink('one')).toBe(`/api/v2/artist/${A}`);
  });

  it('to the festival of a booking rewrites both festivals', async () => {
    await change(artistMomentum, { cluster_id: A, emergence_tier: 'breakout' });
    await change(festivalEdition, { edition_id: 'e1', festival_id: 'f2', year: 2018 });
    const moved = { edition_id: 'e1', festival_id: 'f2', artist_cluster_id: A };
    expect(await change(festivalLineup, moved)).toMatchObject({ marks: 2, changed: 2 });
    expect((await ask('one')).json()).toMatchObject({
      editions: { state: 'empty' },
      lineup_signals: { state: 'empty' },
    });
    // Both entries of the year are one edition now.
    expect((await ask('two')).json()).toMatchObject({
      editions: { signals: { count: 1, items: [{ editionId: 'e1', lineupCount: 1 }] } },
      lineup_signals: { signals: { emergingArtists: 1 } },
    });
  });

  it('to the slug moves the festival to the new slug; a deleted festival has none', async () => {
    await change(festival, { festival_id: 'f2', slug: 'second', merged_slugs: ['two'] });
    expect((await ask('two')).json()).toMatchObject({ slug: 'second', id: 'f2' });
    await change(festival, { festival_id: 'f2', slug: 'second' });
    expect((await ask('two')).json()).toMatchObject({ identity: null });
    expect(await change(festival, { festival_id: 'f2' }, 'delete')).toMatchObject({ removed: 1 });
    expect((await ask('second')).json()).toMatchObject({ identity: null, editions: { state: 'honest_gap' } });
  });

  it('leads to the same documents as a rebuild', async () => {
    const streamed = await liveVersion(pool, 'festival');
    if (streamed === null) throw new Error('festival is not live');
    const documents = await documentsOf(pool, streamed);
    const rebuilt = await rebuild(pool, festivalProjection, registry());
    expect([...documents.keys()]).toEqual(['festival:f1']);
    expect(differingKeys(await documentsOf(pool, rebuilt), documents)).toEqual([]);
  });

  const artistLink = async (slug: string): Promise<string> =>
    (await ask(slug)).json().editions.signals.items[0].lineup[0]._links.artist;

  const emerging = async (slug: string): Promise<number | null> =>
    (await ask(slug)).json().lineup_signals.signals.emergingArtists;
});
