import { FormatRegistry } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { festivalProjection } from '../../projections/festival/project.ts';
import { type Registry, registerSources } from '../../projections/registry.ts';
import type { RowOf } from '../../projections/sources/columns.ts';
import type { Source } from '../../projections/sources/contract.ts';
import { artistMomentum } from '../../projections/sources/seen/artist-momentum.ts';
import { festival } from '../../projections/sources/seen/festival.ts';
import { festivalEdition } from '../../projections/sources/seen/festival-edition.ts';
import { festivalLineup } from '../../projections/sources/seen/festival-lineup.ts';
import { liveVersion } from '../../projections/store/version.ts';
import { closed } from '../../test/closed-schema.ts';
import { deliveries } from '../../test/delivery.ts';
import { differingKeys, documentsOf } from '../../test/documents.ts';
import { fillMirror } from '../../test/fill-mirror.ts';
import type { Deed } from '../../test/history/history.ts';
import { BASE_URL, keyHeader, queryApp } from '../../test/query-app.ts';
import { rowsOf } from '../../test/rows/source-rows.ts';
import { withDatabase } from '../../test/services/database.ts';
import { ingestBatch } from '../../workers/ingest/ingest-batch.ts';
import { rebuild } from '../../workers/project/build-version.ts';
import { drain } from '../../workers/project/drain.ts';
import { FestivalDossierBody } from './schemas/festival.ts';

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
const Answer = closed(FestivalDossierBody);
for (const format of ['date-time', 'date']) FormatRegistry.Set(format, () => true);

/** Asks for a festival; the answer has the form that is declared, member by member. */
type Ask = (slug: string, headers?: Record<string, string>) => Promise<LightMyRequestResponse>;

async function asker(app: FastifyInstance, pool: pg.Pool): Promise<Ask> {
  const key = await keyHeader(pool);
  return async (slug, headers = {}) => {
    const url = `/api/v2/dossier/festival/${slug}`;
    const answer = await app.inject({ url, headers: { ...key, ...headers } });
    if (answer.statusCode === 200) {
      expect([...Value.Errors(Answer, answer.json())], slug).toEqual([]);
      expect(Object.keys(answer.json()), slug).toEqual(MEMBERS);
    }
    return answer;
  };
}

const states = (answer: LightMyRequestResponse): string[] => {
  const { editions, lineup_signals, provenance } = answer.json();
  const told = provenance.map((entry: { honestGapState: string }) => entry.honestGapState);
  return [editions.state, lineup_signals.state, ...told];
};

describe('a festival', () => {
  const { pool } = withDatabase();
  let app: FastifyInstance;
  let ask: Ask;

  beforeAll(async () => {
    const registry = await registerSources(pool);
    const held = (edition_id: string, festival_id: string, year: number) => ({
      edition_id,
      festival_id,
      year,
    });
    await fillMirror(pool, registry, [
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
        held('e1', 'f1', 2018),
        { ...held('e2', 'f1', 2019), title: 'Nineteen', starts_on: '2019-10-04' },
        { ...held('e3', 'f1', 2019), venue: 'Zilker Park', ends_on: '2019-10-13' },
        held('e4', 'f3', 2019),
        held('e5', 'gone', 2019),
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
    ]);
    await rebuild(pool, festivalProjection, registry);
    app = await queryApp(pool);
    ask = await asker(app, pool);
    await ask('any');
  });
  afterAll(() => app.close());
  afterEach(() => vi.restoreAllMocks());

  it('is told whole, a year with two entries as one edition', async () => {
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
    const entry = (table: string, cadence: string, tier: string, refreshedAt: string | null) => ({
      producer: 'seen',
      sourceTable: `seen.${table}`,
      refreshCadence: cadence,
      tier,
      honestGapState: 'present',
      refreshedAt,
      stale: false,
    });
    const at = '2019-06-30T12:00:00Z';
    expect(provenance).toEqual([
      entry('festival', 'weekly', 'observed', at),
      entry('festival_edition', 'weekly', 'observed', at),
      entry('festival_lineup', 'weekly', 'observed', at),
      entry('festival_lineup', 'weekly', 'observed', at),
      entry('artist_momentum', 'daily', 'derived', null),
    ]);
  });

  it.each([
    ['its slug in another case', 'AUSTIN-city-limits'],
    ['a merged slug, before the alias of another', 'acl'],
    ['the slug of the festival merged into it, still on file', 'Dead'],
    ['an alias', 'ACL%20fest'],
  ])('answers to %s', async (_name, asked) => {
    expect((await ask(asked)).json()).toMatchObject({ slug: 'austin-city-limits', id: 'f1' });
  });

  it.each([
    ['oldest', 'f5'],
    ['middle', 'f5'],
    ['youngest', 'f5'],
    ['ring-a', 'f6'],
    ['ring-b', 'f7'],
  ])('follows merges to the last survivor, and not in circles: %s', async (asked, id) => {
    expect((await ask(asked)).json()).toMatchObject({ id });
  });

  it('answers to a slug beyond ASCII by its percent-encoded form, in either case', async () => {
    for (const asked of ['sónar-東京', 'SÓNAR-東京']) {
      expect((await ask(encodeURIComponent(asked))).json()).toMatchObject({
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
    expect(states(bare)).toEqual(['empty', 'empty', 'present', 'empty', 'empty', 'empty', 'empty']);
    const unbooked = await ask('unbooked');
    expect(states(unbooked)).toEqual(['present', 'empty', 'present', 'present', 'present', 'empty', 'empty']);
    expect(unbooked.json().editions.signals).toMatchObject({
      count: 1,
      items: [{ lineupCount: 0, lineup: [] }],
    });
  });

  it('that nobody has named is told with gaps under the slug that was asked', async () => {
    for (const [asked, slug] of [
      ['Nobody', 'nobody'],
      ['gone', 'gone'],
      ['a%2Fb:c', 'a/b:c'],
      [encodeURIComponent('🎪'.repeat(200)), '🎪'.repeat(200)],
    ] as const) {
      const answer = await ask(asked);
      expect(answer.statusCode).toBe(200);
      expect(answer.json()).toMatchObject({ slug, display: slug, id: null, identity: null });
      expect(answer.json().editions).toEqual({ state: 'honest_gap', signals: null });
      expect(new Set(states(answer))).toEqual(new Set(['honest_gap']));
    }
  });

  it.each([
    ['an empty slug', ''],
    ['blanks', '%20%20'],
    ['201 characters', 'a'.repeat(201)],
    ['201 characters beyond ASCII', encodeURIComponent('🎪'.repeat(201))],
    ['thousands of characters', 'a'.repeat(6_000)],
    ['NUL', 'a%00b'],
  ])('refuses %s', async (_name, asked) => {
    const refused = await ask(asked);
    expect(refused.statusCode).toBe(400);
    expect(refused.json()).toMatchObject({
      error: 'invalid_query',
      param: 'slug',
      details: [{ path: 'slug', message: expect.stringContaining('1 to 200 characters') }],
      doc_url: `${BASE_URL}/docs/api#error-invalid_query`,
    });
  });

  it('answers 304 to who has it already, by whichever name', async () => {
    const { etag } = (await ask('acl')).headers;
    expect(etag).toMatch(/^W\/"/);
    const again = await ask('austin-city-limits', { 'if-none-match': String(etag) });
    expect(again.statusCode).toBe(304);
    expect(again.rawPayload).toHaveLength(0);
    expect((await ask('unbooked', { 'if-none-match': String(etag) })).statusCode).toBe(200);
  });

  it('costs one statement', async () => {
    const statements = vi.spyOn(pg.Client.prototype, 'query');
    for (const slug of ['austin-city-limits', 'acl', 'acl%20fest', 'nobody']) {
      statements.mockClear();
      expect((await ask(slug)).statusCode).toBe(200);
      expect(statements, slug).toHaveBeenCalledTimes(1);
    }
  });
});

describe('a change', () => {
  const { pool } = withDatabase();
  const deeds: Deed[] = [];
  let registry: Registry;
  let app: FastifyInstance;
  let ask: Ask;

  beforeAll(async () => {
    registry = await registerSources(pool);
    await rebuild(pool, festivalProjection, registry);
    app = await queryApp(pool);
    ask = await asker(app, pool);
    await change(festival, { festival_id: 'f1', slug: 'one' });
    await change(festival, { festival_id: 'f2', slug: 'two' });
  });
  afterAll(() => app.close());

  it('of the first edition turns every gap into an empty facet', async () => {
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

  it('of one row rewrites the one document it is about', async () => {
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

  it('of an equal row rewrites nothing', async () => {
    expect(await change(festival, { festival_id: 'f1', slug: 'one', city: 'Austin' })).toMatchObject({
      marks: 0,
      changed: 0,
    });
  });

  it('of momentum rewrites the festivals that booked the artist where their count moves, else none', async () => {
    // The first row of all turns an unknown count into zero.
    expect(await change(artistMomentum, { cluster_id: C, emergence_tier: 'rising' })).toMatchObject({
      changed: 1,
    });
    expect(await emerging('one')).toBe(0);

    expect(await change(artistMomentum, { cluster_id: A, emergence_tier: 'rising' })).toEqual({
      // The artist; the festival it touches comes with it.
      marks: 1,
      changed: 1,
      unchanged: 1,
      removed: 0,
    });
    expect(await emerging('one')).toBe(1);

    for (const moved of [
      { cluster_id: A, emergence_tier: 'breakout' as const },
      { cluster_id: A, emergence_tier: 'breakout' as const, emergence_score: 99 },
    ]) {
      const { etag } = (await ask('one')).headers;
      expect(await change(artistMomentum, moved)).toEqual({ marks: 1, changed: 0, unchanged: 2, removed: 0 });
      expect((await ask('one', { 'if-none-match': String(etag) })).statusCode).toBe(304);
    }
    // Of an artist that nobody booked.
    expect(await change(artistMomentum, { cluster_id: C, emergence_tier: 'steady' })).toMatchObject({
      marks: 1,
      changed: 0,
    });
    expect(await change(artistMomentum, { cluster_id: A, emergence_tier: 'steady' })).toMatchObject({
      changed: 1,
    });
    expect(await emerging('one')).toBe(0);
  });

  it('of a booking that moves to another festival rewrites both', async () => {
    await change(artistMomentum, { cluster_id: A, emergence_tier: 'breakout' });
    await change(festivalEdition, { edition_id: 'e1', festival_id: 'f2', year: 2018 });
    const moved = { edition_id: 'e1', festival_id: 'f2', artist_cluster_id: A };
    expect(await change(festivalLineup, moved)).toMatchObject({ marks: 2, changed: 2 });
    expect((await ask('one')).json()).toMatchObject({
      editions: { state: 'empty' },
      lineup_signals: { state: 'empty' },
    });
    // Both editions of the year are one now.
    expect((await ask('two')).json()).toMatchObject({
      editions: { signals: { count: 1, items: [{ editionId: 'e1', lineupCount: 1 }] } },
      lineup_signals: { signals: { emergingArtists: 1 } },
    });
  });

  it('of the slug is found under the new one alone, and a deleted festival under none', async () => {
    await change(festival, { festival_id: 'f2', slug: 'second', merged_slugs: ['two'] });
    expect((await ask('two')).json()).toMatchObject({ slug: 'second', id: 'f2' });
    await change(festival, { festival_id: 'f2', slug: 'second' });
    expect((await ask('two')).json()).toMatchObject({ identity: null });
    expect(await change(festival, { festival_id: 'f2' }, 'delete')).toMatchObject({ removed: 1 });
    expect((await ask('second')).json()).toMatchObject({ identity: null, editions: { state: 'honest_gap' } });
  });

  it('leaves what a rebuild makes', async () => {
    const streamed = await liveVersion(pool, 'festival');
    if (streamed === null) throw new Error('festival is not live');
    const documents = await documentsOf(pool, streamed);
    const rebuilt = await rebuild(pool, festivalProjection, registry);
    expect([...documents.keys()]).toEqual(['festival:f1']);
    expect(differingKeys(await documentsOf(pool, rebuilt), documents)).toEqual([]);
  });

  const emerging = async (slug: string): Promise<number | null> =>
    (await ask(slug)).json().lineup_signals.signals.emergingArtists;

  /** Delivers one change and projects what it marks. */
  async function change<S extends Source>(
    source: S,
    row: Partial<RowOf<S['columns']>>,
    kind: Deed['kind'] = 'write',
  ) {
    deeds.push(
      ...rowsOf(source, row).rows.map((whole): Deed => ({ source, kind, row: whole, unavailable: [] })),
    );
    const topic = `producers.${source.table}`;
    const told = deliveries(deeds, repeat(1), registry).find((delivery) => delivery.topic === topic);
    // A delete is followed by its tombstone.
    const records = told?.batches.flatMap((batch) => batch.records).slice(kind === 'delete' ? -2 : -1) ?? [];
    const place = { group: `change ${deeds.length}`, topic, partition: 0 };
    await ingestBatch(pool, registry, place, records, null, 1 + (records.at(-1)?.record.offset ?? 0));
    return drain(pool, registry);
  }
});

function* repeat(number: number): Generator<number> {
  for (;;) yield number;
}
