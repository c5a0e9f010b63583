import { describe, expect, it } from 'vitest';
import { bySubject } from '../../../../test/support/rows/by-subject.ts';
import { rowsOf, type SourceRows } from '../../../../test/support/rows/source-rows.ts';
import { artistMomentum } from '../../../contracts/seen/artist-momentum.ts';
import { festival } from '../../../contracts/seen/festival.ts';
import { festivalEdition } from '../../../contracts/seen/festival-edition.ts';
import { festivalLineup } from '../../../contracts/seen/festival-lineup.ts';
import { type MirrorRow, MirrorRows, type SubjectRef } from '../../../engine/rows.ts';
import { FestivalRows } from '../festival-rows.ts';
import { editions } from './editions.ts';
import { identity } from './identity.ts';
import { lineupSignals } from './lineup-signals.ts';

const [A, B, C, D, E] = ['a', 'b', 'c', 'd', 'e'].map((digit) => digit.repeat(64)) as [
  string,
  string,
  string,
  string,
  string,
];
const KEY: SubjectRef = 'festival:f';

/** The rows of the festival `f`. A source without an entry has never delivered. */
function festivalRows(...given: readonly SourceRows[]): FestivalRows {
  const found = new Map<string, Map<SubjectRef, MirrorRow[]>>();
  for (const { source, rows } of given) {
    const { kind, column } = source.subject;
    const entries = rows.map((row) => ({ row, changedAt: 0 }));
    found.set(
      source.table,
      Map.groupBy(entries, ({ row }): SubjectRef => `${kind}:${row[column]}`),
    );
  }
  const rows = new MirrorRows(bySubject(found), new Set(given.map(({ source }) => source.table)));
  return new FestivalRows(KEY, rows, rows);
}

const f = { festival_id: 'f' };
const entry = (edition_id: string, year: number) => ({ ...f, edition_id, year });
const booking = (edition_id: string, artist_cluster_id: string) => ({ ...f, edition_id, artist_cluster_id });
const built = (rows: FestivalRows) => editions.build(rows).value as { signals: { items: unknown[] } };

describe('identity', () => {
  it('has name, place and every other name', () => {
    const rows = festivalRows(
      rowsOf(festival, {
        ...f,
        name: 'Sónar',
        slug: 'Sonar',
        aliases: ['Sónar Barcelona'],
        merged_slugs: ['Sónar-BCN'],
        country: 'ES',
        website_url: 'https://sonar.test',
      }),
    );
    expect(identity.build(rows)).toEqual({
      state: 'present',
      value: {
        festivalId: 'f',
        name: 'Sónar',
        aliases: ['Sónar Barcelona'],
        mergedSlugs: ['sónar-bcn'],
        country: 'ES',
        city: null,
        websiteUrl: 'https://sonar.test',
      },
    });
  });

  it('is empty if only other festivals have rows, a gap before any delivery', () => {
    expect(identity.build(festivalRows(rowsOf(festival, { festival_id: 'other' })))).toEqual({
      state: 'empty',
      value: null,
    });
    expect(identity.build(festivalRows())).toEqual({ state: 'honest_gap', value: null });
  });
});

describe('editions', () => {
  it('come newest first, with their line-ups by billing, name and id', () => {
    const rows = festivalRows(
      rowsOf(
        festivalEdition,
        { ...entry('e1', 2008), cancelled: true },
        { ...entry('e2', 2019), title: 'Nineteen', starts_on: '2019-07-01', ends_on: '2019-07-03' },
      ),
      rowsOf(
        festivalLineup,
        { ...booking('e2', E), artist_name: 'Aaron' },
        { ...booking('e2', D), artist_name: 'Anna', billing_order: 2 },
        { ...booking('e2', C), artist_name: 'Zed', billing_order: 2 },
        { ...booking('e2', B), artist_name: 'Zed', billing_order: 2 },
        { ...booking('e2', A), artist_name: 'Zoe', billing_order: 1, stage: 'Main', plays_on: '2019-07-02' },
      ),
    );
    const act = (clusterId: string, name: string, billingOrder: number | null) => ({
      clusterId,
      name,
      stage: null,
      playsOn: null,
      billingOrder,
      _links: { artist: `/api/v2/artist/${clusterId}` },
    });
    const nowhere = { venue: null, city: null, country: null };
    expect(editions.build(rows)).toEqual({
      state: 'present',
      value: {
        state: 'present',
        signals: {
          count: 2,
          firstYear: 2008,
          latestYear: 2019,
          items: [
            {
              editionId: 'e2',
              year: 2019,
              title: 'Nineteen',
              startsOn: '2019-07-01',
              endsOn: '2019-07-03',
              ...nowhere,
              cancelled: false,
              lineupCount: 5,
              lineup: [
                { ...act(A, 'Zoe', 1), stage: 'Main', playsOn: '2019-07-02' },
                act(D, 'Anna', 2),
                act(B, 'Zed', 2),
                act(C, 'Zed', 2),
                act(E, 'Aaron', null),
              ],
            },
            {
              editionId: 'e1',
              year: 2008,
              title: null,
              startsOn: null,
              endsOn: null,
              ...nowhere,
              cancelled: true,
              lineupCount: 0,
              lineup: [],
            },
          ],
        },
      },
    });
  });

  it('of one year are merged: first known texts, widest dates, cancelled only by all, each artist once', () => {
    const rows = festivalRows(
      rowsOf(
        festivalEdition,
        {
          ...entry('e3', 2019),
          title: 'Third',
          venue: 'Park',
          city: 'Rome',
          country: 'IT',
          ends_on: '2019-07-09',
        },
        { ...entry('e1', 2019), starts_on: '2019-07-02', ends_on: '2019-07-04', cancelled: true },
        {
          ...entry('e2', 2019),
          title: 'Second',
          venue: 'Hall',
          starts_on: '2019-07-01',
          ends_on: '2019-07-03',
        },
      ),
      rowsOf(
        festivalLineup,
        { ...booking('e3', A), artist_name: 'A', billing_order: 1, stage: 'Third' },
        { ...booking('e1', A), artist_name: 'A', stage: 'First' },
        { ...booking('e2', A), artist_name: 'A', billing_order: 4, stage: 'Second' },
        { ...booking('e3', B), artist_name: 'B', stage: 'Third' },
        { ...booking('e2', B), artist_name: 'B', stage: 'Second' },
      ),
    );
    const { items } = built(rows).signals;
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({
      editionId: 'e1',
      year: 2019,
      title: 'Second',
      startsOn: '2019-07-01',
      endsOn: '2019-07-09',
      venue: 'Hall',
      city: 'Rome',
      country: 'IT',
      cancelled: false,
      lineupCount: 2,
      lineup: [
        { clusterId: A, stage: 'Third', billingOrder: 1 },
        { clusterId: B, stage: 'Second', billingOrder: null },
      ],
    });
    expect(built(rows)).toMatchObject({ signals: { count: 1, firstYear: 2019, latestYear: 2019 } });
  });

  it('are cancelled if all entries of the year are', () => {
    const cancelled = { cancelled: true };
    const rows = festivalRows(
      rowsOf(festivalEdition, { ...entry('e1', 2019), ...cancelled }, { ...entry('e2', 2019), ...cancelled }),
    );
    expect(built(rows).signals.items).toMatchObject([{ cancelled: true }]);
  });
});

describe('line-up signals', () => {
  const entries = rowsOf(festivalEdition, entry('e1', 2018), entry('e2', 2018), entry('e3', 2019));
  const bookings = rowsOf(
    festivalLineup,
    // A second booking in the same year is no return.
    booking('e1', A),
    booking('e2', A),
    booking('e1', B),
    booking('e3', B),
    booking('e3', C),
  );

  it('count booked, returning and emerging artists', () => {
    const rows = festivalRows(
      entries,
      bookings,
      rowsOf(
        artistMomentum,
        { cluster_id: A, emergence_tier: 'breakout' },
        { cluster_id: B, emergence_tier: 'climbing' },
        { cluster_id: C, emergence_tier: 'rising' },
        { cluster_id: D, emergence_tier: 'rising' },
      ),
    );
    expect(lineupSignals.build(rows).value).toEqual({
      state: 'present',
      signals: { distinctArtists: 3, returningArtists: 1, returningRatio: 1 / 3, emergingArtists: 2 },
    });
  });

  it('have no emergence before momentum is delivered, and zero afterwards', () => {
    const counts = { distinctArtists: 3, returningArtists: 1, returningRatio: 1 / 3 };
    expect(lineupSignals.build(festivalRows(entries, bookings)).value).toEqual({
      state: 'present',
      signals: { ...counts, emergingArtists: null },
    });
    expect(lineupSignals.build(festivalRows(entries, bookings, rowsOf(artistMomentum))).value).toEqual({
      state: 'present',
      signals: { ...counts, emergingArtists: 0 },
    });
  });

  it('and editions omit the line-up of an unknown edition', () => {
    const rows = festivalRows(entries, rowsOf(festivalLineup, booking('e1', A), booking('unheard-of', B)));
    expect(lineupSignals.build(rows).value).toMatchObject({ signals: { distinctArtists: 1 } });
    expect(built(rows).signals.items).toMatchObject([{ lineupCount: 0 }, { lineupCount: 1 }]);
    const onlyUnheardOf = festivalRows(entries, rowsOf(festivalLineup, booking('unheard-of', B)));
    expect(lineupSignals.build(onlyUnheardOf).value).toEqual({ state: 'empty', signals: null });
  });
});

describe('the state', () => {
  const elsewhere = { festival_id: 'other' };
  const empty = { state: 'empty', value: { state: 'empty', signals: null } };
  const gap = { state: 'honest_gap', value: { state: 'honest_gap', signals: null } };

  it('of editions depends on the editions alone', () => {
    const booked = rowsOf(festivalLineup, booking('e1', A));
    expect(editions.build(festivalRows(booked))).toEqual(gap);
    expect(editions.build(festivalRows(booked, rowsOf(festivalEdition, elsewhere)))).toEqual(empty);
    expect(editions.build(festivalRows(rowsOf(festivalEdition, entry('e1', 2019)))).state).toBe('present');
  });

  it('of line-up signals depends on the line-ups alone', () => {
    const momentum = rowsOf(artistMomentum, { cluster_id: A });
    const held = rowsOf(festivalEdition, entry('e1', 2019));
    expect(lineupSignals.build(festivalRows(held, momentum))).toEqual(gap);
    expect(lineupSignals.build(festivalRows(held, rowsOf(festivalLineup, elsewhere)))).toEqual(empty);
    expect(lineupSignals.build(festivalRows(held, rowsOf(festivalLineup, booking('e1', A)))).state).toBe(
      'present',
    );
  });
});
