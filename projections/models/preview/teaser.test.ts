import { expect, it } from 'vitest';
import {
  CATALOG_ID,
  CLUSTER,
  mirrorRows,
  rowsOf,
  type SourceRows,
} from '../../../test/support/rows/source-rows.ts';
import { artistPressMentions } from '../../contracts/archive/artist-press-mentions.ts';
import { catalogArtist } from '../../contracts/catalog/artist.ts';
import { artistCoEvent } from '../../contracts/seen/artist-co-event.ts';
import { artistEmergenceNarrativePublic } from '../../contracts/seen/artist-emergence-narrative-public.ts';
import { artistIdentityBridge } from '../../contracts/seen/artist-identity-bridge.ts';
import { artistMomentum } from '../../contracts/seen/artist-momentum.ts';
import { performingEntity } from '../../contracts/seen/performing-entity.ts';
import { teaserOf } from './teaser.ts';

const cluster = (...given: SourceRows[]) =>
  teaserOf(`artist:${CLUSTER}`, mirrorRows(rowsOf(performingEntity, { name: 'Live Name' }), ...given));
const transitions = (...days: string[]) =>
  rowsOf(
    artistEmergenceNarrativePublic,
    ...days.map((transition_at) => ({ transition_at, tier: 'rising', label: `since ${transition_at}` })),
  );

const EMPTY = {
  display: 'Live Name',
  cluster_id: CLUSTER,
  resolved_via: 'cluster',
  emergence_tier: 'untracked',
  arc: [],
  arc_truncated: false,
  booked_with: [],
  press_count: 0,
};

it('has empty facets for an artist with only a name', () => {
  expect(cluster()).toEqual(EMPTY);
});

it('is null without a name', () => {
  expect(teaserOf(`artist:${CLUSTER}`, mirrorRows(rowsOf(artistMomentum, {})))).toBeNull();
  expect(teaserOf(`catalog-artist:${CATALOG_ID}`, mirrorRows(rowsOf(artistIdentityBridge, {})))).toBeNull();
});

it('has six transitions, and a flag if there are more', () => {
  const days = ['2012-01-01', '2011-05-05', '2014-03-03', '2013-02-02', '2016-01-01', '2015-04-04'];
  const six = cluster(transitions(...days));
  expect(six?.arc.map(({ year }) => year)).toEqual([2011, 2012, 2013, 2014, 2015, 2016]);
  expect(six?.arc[0]).toEqual({ year: 2011, tier: 'rising', label: 'since 2011-05-05' });
  expect(six?.arc_truncated).toBe(false);

  const seven = cluster(transitions(...days, '2010-12-31'));
  expect(seven?.arc).toEqual(six?.arc);
  expect(seven?.arc_truncated).toBe(true);
});

it('names the three most frequent artists', () => {
  const met = rowsOf(
    artistCoEvent,
    { other_name: 'Few', co_event_count: 1, co_venue_count: 9 },
    { other_name: 'B', co_event_count: 5, co_venue_count: 2 },
    { other_name: 'A', co_event_count: 5, co_venue_count: 2 },
    { other_name: 'More Venues', co_event_count: 5, co_venue_count: 3 },
  );
  expect(cluster(met)?.booked_with).toEqual(['More Venues', 'A', 'B']);
});

it('counts each page of the press once', () => {
  const urls = ['https://a.example', 'https://b.example', 'https://a.example'];
  const mentions = rowsOf(
    artistPressMentions,
    ...urls.map((url, index) => ({ url, mention_id: `${index}` })),
  );
  expect(cluster(mentions)?.press_count).toBe(2);
});

it('joins the signals of the bound cluster in the catalogue lane', () => {
  const bridge = rowsOf(artistIdentityBridge, { catalog_artist_id_count: 1, is_exact: true });
  const rising = rowsOf(artistMomentum, { emergence_tier: 'rising' });
  const artist = rowsOf(catalogArtist, { name: 'Catalogue Name' });
  const key = `catalog-artist:${CATALOG_ID}` as const;
  expect(teaserOf(key, mirrorRows(artist, bridge, rising))).toEqual({
    ...EMPTY,
    display: 'Catalogue Name',
    resolved_via: 'catalog',
    emergence_tier: 'rising',
  });
  expect(teaserOf(key, mirrorRows(artist, rising))).toEqual({
    ...EMPTY,
    display: 'Catalogue Name',
    resolved_via: 'catalog',
    cluster_id: null,
  });
});
