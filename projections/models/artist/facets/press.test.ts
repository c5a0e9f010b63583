import { describe, expect, it } from 'vitest';
import { artistFacetRows, boundArtist, clusterOnlyArtist } from '../../../../test/support/rows/artist.ts';
import { rowsOf } from '../../../../test/support/rows/source-rows.ts';
import { artistPressMentions } from '../../../contracts/archive/artist-press-mentions.ts';
import { artistMomentum } from '../../../contracts/seen/artist-momentum.ts';
import { breakout } from './breakout.ts';
import { citedMentions } from './cited-mentions.ts';
import { journalism } from './journalism.ts';

const mention = (id: string, published_at: string, url = `https://press.test/${id}`) => ({
  mention_id: id,
  outlet: 'Outlet',
  title: `On ${id}`,
  url,
  published_at,
});

/** One mention a day from 1 June 2019, oldest first. */
const daily = (howMany: number) =>
  Array.from({ length: howMany }, (_, index) => {
    const day = new Date(Date.UTC(2019, 5, 1 + index)).toISOString().replace('.000Z', 'Z');
    return mention(String(index), day);
  });

const idsOf = (items: unknown) => (items as { title: string }[]).map((item) => item.title.replace('On ', ''));

describe.each([boundArtist, clusterOnlyArtist])('journalism in the $lane lane', (subject) => {
  it('counts by kind and lists the newest first', () => {
    const rows = rowsOf(
      artistPressMentions,
      { ...mention('b', '2019-01-02T00:00:00Z'), kind: 'review' },
      { ...mention('e', '2019-01-03T00:00:00Z'), kind: 'mention' },
      { ...mention('a', '2019-01-02T00:00:00Z'), kind: 'review' },
      { ...mention('c', '2019-01-04T00:00:00Z'), kind: 'press' },
      { ...mention('d', '2019-01-01T00:00:00Z'), kind: 'interview' },
      { ...mention('f', '2018-01-01T00:00:00Z'), kind: 'feature' },
    );
    const item = (id: string, day: string, kind: string) => ({
      outlet: 'Outlet',
      title: `On ${id}`,
      url: `https://press.test/${id}`,
      kind,
      publishedAt: `${day}T00:00:00Z`,
    });
    expect(journalism.build(artistFacetRows(subject, rows)).value).toEqual({
      state: 'present',
      signals: {
        pressCount: 1,
        reviewCount: 2,
        interviewCount: 1,
        featureCount: 1,
        items: [
          item('c', '2019-01-04', 'press'),
          item('e', '2019-01-03', 'mention'),
          item('a', '2019-01-02', 'review'),
          item('b', '2019-01-02', 'review'),
          item('d', '2019-01-01', 'interview'),
          item('f', '2018-01-01', 'feature'),
        ],
      },
    });
  });
});

describe('journalism', () => {
  it('lists fifty and counts all', () => {
    const rows = rowsOf(
      artistPressMentions,
      ...daily(51).map((row) => ({ ...row, kind: 'feature' as const })),
    );
    const { signals } = journalism.build(artistFacetRows(clusterOnlyArtist, rows)).value as {
      signals: { featureCount: number; items: unknown };
    };
    expect(signals.featureCount).toBe(51);
    expect(idsOf(signals.items)).toEqual(Array.from({ length: 50 }, (_, index) => String(50 - index)));
  });
});

describe.each([boundArtist, clusterOnlyArtist])('citedMentions in the $lane lane', (subject) => {
  it('shows each page once, at its newest mention', () => {
    const rows = rowsOf(
      artistPressMentions,
      mention('old', '2019-01-01T00:00:00Z', 'https://press.test/same'),
      {
        ...mention('z', '2019-01-03T00:00:00Z'),
        kind: 'mention',
        source_repo: 'archive/reviews',
      },
      mention('y', '2019-01-03T00:00:00Z'),
      mention('new', '2019-01-02T00:00:00Z', 'https://press.test/same'),
    );
    const item = (
      id: string,
      day: string,
      url = `https://press.test/${id}`,
      sourceRepo: string | null = null,
    ) => ({
      outlet: 'Outlet',
      title: `On ${id}`,
      url,
      publishedAt: `${day}T00:00:00Z`,
      sourceRepo,
    });
    expect(citedMentions.build(artistFacetRows(subject, rows))).toEqual({
      state: 'present',
      value: [
        item('y', '2019-01-03'),
        item('z', '2019-01-03', 'https://press.test/z', 'archive/reviews'),
        item('new', '2019-01-02', 'https://press.test/same'),
      ],
    });
  });
});

describe('citedMentions', () => {
  it('shows ten pages, however often the newest is mentioned', () => {
    const again = mention('again', '2020-01-01T00:00:00Z', 'https://press.test/11');
    const { value } = citedMentions.build(
      artistFacetRows(boundArtist, rowsOf(artistPressMentions, ...daily(12), again)),
    );
    expect(idsOf(value)).toEqual(['again', '10', '9', '8', '7', '6', '5', '4', '3', '2']);
  });
});

describe.each([boundArtist, clusterOnlyArtist])('breakout in the $lane lane', (subject) => {
  const pressed = rowsOf(
    artistPressMentions,
    mention('a', '2019-01-01T00:00:00Z', 'https://press.test/same'),
    mention('b', '2019-01-02T00:00:00Z', 'https://press.test/same'),
    { ...mention('c', '2019-01-03T00:00:00Z'), kind: 'mention' },
  );

  it.each(['breakout', 'rising'] as const)(
    'is corroborated if the press mentions an artist of tier %s',
    (tier) => {
      const rows = artistFacetRows(subject, rowsOf(artistMomentum, { emergence_tier: tier }), pressed);
      expect(breakout.build(rows).value).toEqual({
        state: 'present',
        signal: {
          emergenceTier: tier,
          corroboration: 'corroborated',
          pressCount: 2,
        },
      });
    },
  );

  it('is ahead of the press without mentions', () => {
    const rows = artistFacetRows(
      subject,
      rowsOf(artistMomentum, { emergence_tier: 'rising' }),
      rowsOf(artistPressMentions),
    );
    expect(breakout.build(rows).value).toEqual({
      state: 'present',
      signal: {
        emergenceTier: 'rising',
        corroboration: 'booking_ahead',
        pressCount: 0,
      },
    });
  });

  it.each(['climbing', 'steady'] as const)('is empty for an artist of tier %s', (tier) => {
    const rows = artistFacetRows(subject, rowsOf(artistMomentum, { emergence_tier: tier }), pressed);
    expect(breakout.build(rows).value).toEqual({
      state: 'empty',
      signal: null,
    });
  });

  it('is a gap if bookings are unknown, even with mentions', () => {
    expect(breakout.build(artistFacetRows(subject, pressed)).state).toBe('honest_gap');
  });
});
