import { describe, expect, it } from 'vitest';
import { CLUSTER, mirrorRows, rowsOf } from '../../../test/support/rows/source-rows.ts';
import { artistPressMentions } from '../../contracts/archive/artist-press-mentions.ts';
import { artistMomentum } from '../../contracts/seen/artist-momentum.ts';
import { breakoutItem, breakoutOf, isBreakingOut } from './breakout.ts';
import { listOfBreakout, listsOfFilter } from './lists.ts';

const ARTIST = `artist:${CLUSTER}` as const;
const momentum = rowsOf(artistMomentum, {
  emergence_tier: 'breakout',
  momentum_tier: 'cooling',
  emergence_score: 9.5,
  momentum_score: -2,
  events_recent: 14,
});

describe('a breakout', () => {
  it('has every field, each page of the press counted once', () => {
    const rows = mirrorRows(
      momentum,
      rowsOf(
        artistPressMentions,
        { mention_id: '1', url: 'https://a.example' },
        { mention_id: '2', url: 'https://a.example', kind: 'mention' },
        { mention_id: '3', url: 'https://b.example' },
      ),
    );
    const breakout = breakoutOf(ARTIST, rows);
    if (breakout === null) throw new Error('no breakout');
    const card = {
      clusterId: CLUSTER,
      name: 'Some Artist',
      slug: 'some-artist',
      catalogArtistId: 7,
      resolvedVia: 'catalog',
    } as const;
    expect(breakoutItem(breakout, card)).toEqual({
      clusterId: CLUSTER,
      name: 'Some Artist',
      slug: 'some-artist',
      catalogArtistId: 7,
      resolvedVia: 'catalog',
      emergenceTier: 'breakout',
      momentumTier: 'cooling',
      emergenceScore: 9.5,
      momentumScore: -2,
      eventsRecent: 14,
      corroboration: 'corroborated',
      pressCount: 2,
      _links: { artist: '/api/v2/artist/some-artist' },
    });
  });

  it('links to the cluster if the catalogue has no dossier of the artist, or its slug leads to another', () => {
    const breakout = breakoutOf(ARTIST, mirrorRows(momentum));
    if (breakout === null) throw new Error('no breakout');
    const card = { clusterId: CLUSTER, name: 'Some Artist' } as const;
    for (const other of [
      { slug: 'some-artist', catalogArtistId: null, resolvedVia: 'cluster' },
      { slug: null, catalogArtistId: 7, resolvedVia: 'catalog' },
    ] as const)
      expect(breakoutItem(breakout, { ...card, ...other })._links.artist).toBe(`/api/v2/artist/${CLUSTER}`);
  });

  it('is ahead of the press without mentions', () => {
    expect(breakoutOf(ARTIST, mirrorRows(momentum))).toMatchObject({
      corroboration: 'booking_ahead',
      pressCount: 0,
    });
  });

  it.each([
    ['breakout', true],
    ['rising', true],
    ['climbing', false],
    ['steady', false],
  ] as const)('of tier %s is one: %s', (emergence_tier, isOne) => {
    const rows = mirrorRows(rowsOf(artistMomentum, { emergence_tier }));
    expect(isBreakingOut(ARTIST, rows)).toBe(isOne);
    expect(breakoutOf(ARTIST, rows) !== null).toBe(isOne);
  });
});

describe('a filter', () => {
  it('names the lists whose items pass it', () => {
    expect(listsOfFilter({})).toHaveLength(4);
    expect(new Set(listsOfFilter({})).size).toBe(4);
    for (const tier of ['breakout', 'rising'] as const)
      for (const corroboration of ['corroborated', 'booking_ahead'] as const) {
        const list = listOfBreakout({ emergenceTier: tier, corroboration });
        expect(listsOfFilter({ tier, corroboration })).toEqual([list]);
        expect(listsOfFilter({ tier })).toContain(list);
        expect(listsOfFilter({ tier })).toHaveLength(2);
        expect(listsOfFilter({ corroboration })).toContain(list);
        expect(listsOfFilter({ corroboration })).toHaveLength(2);
      }
  });
});
