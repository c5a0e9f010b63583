import { describe, expect, it } from 'vitest';
import { CLUSTER, mirrorRows, rowsOf, type SourceRows } from '../../test/rows/source-rows.ts';
import { artistPressMentions } from '../sources/archive/artist-press-mentions.ts';
import { artistAirplayFirstAppearance } from '../sources/seen/artist-airplay-first-appearance.ts';
import { artistBrokerage } from '../sources/seen/artist-brokerage.ts';
import { artistDjsetFirstAppearance } from '../sources/seen/artist-djset-first-appearance.ts';
import { artistFestivalPedigree } from '../sources/seen/artist-festival-pedigree.ts';
import { artistMomentum } from '../sources/seen/artist-momentum.ts';
import { artistNetworkPosition } from '../sources/seen/artist-network-position.ts';
import { storefrontArtistGravity } from '../sources/seen/storefront-artist-gravity.ts';
import { placementArrivalByClusterV1 } from '../sources/sync/placement-arrival-by-cluster-v1.ts';
import { emerging, emergingOf, oneToWatch } from './ones-to-watch.ts';

const ARTIST = `artist:${CLUSTER}` as const;
const one = {
  clusterId: CLUSTER,
  emergenceTier: 'rising',
  momentumTier: 'breakout',
  emergenceScore: 8.5,
  momentumScore: 2,
} as const;
const card = {
  clusterId: CLUSTER,
  name: 'Some Artist',
  slug: null,
  catalogArtistId: null,
  resolvedVia: 'cluster',
} as const;
const watched = (...given: SourceRows[]) => oneToWatch(one, 1, card, ARTIST, mirrorRows(...given));

describe('one to watch', () => {
  const tiers = ['breakout', 'rising', 'climbing', 'steady'] as const;
  const momenta = ['breakout', 'rising', 'steady', 'cooling', 'dormant'] as const;
  it.each(tiers.flatMap((tier) => momenta.map((momentum) => [tier, momentum] as const)))(
    'with tier %s and momentum %s is one only where both are breakout or rising',
    (emergence_tier, momentum_tier) => {
      const rows = mirrorRows(rowsOf(artistMomentum, { emergence_tier, momentum_tier }));
      const isHot = (tier: string) => ['breakout', 'rising'].includes(tier);
      expect(emergingOf(ARTIST, rows) !== null).toBe(isHot(emergence_tier) && isHot(momentum_tier));
    },
  );

  it('comes before others by emergence, then by momentum, then by cluster', () => {
    const list = emerging(3);
    for (const other of [
      { ...one, clusterId: 'b' },
      { ...one, clusterId: 'a' },
      { ...one, clusterId: 'c', momentumScore: 3 },
      { ...one, clusterId: 'd', emergenceScore: 9, momentumScore: -1 },
    ])
      list.add(other);
    expect(list.rows().map(({ clusterId }) => clusterId)).toEqual(['d', 'c', 'a']);
  });

  it('has every field', () => {
    const row = oneToWatch(
      one,
      2,
      { ...card, slug: 'some-artist', catalogArtistId: 7, resolvedVia: 'catalog' },
      ARTIST,
      mirrorRows(
        rowsOf(artistFestivalPedigree, {
          culture_forward_festivals: 2,
          co_festival_count: 11,
          co_country_count: 4,
          five_factor_score: 0.75,
        }),
        rowsOf(artistNetworkPosition, { degree: 12 }),
        rowsOf(artistBrokerage, { degree: 99, brokerage_score: 1.25 }),
        rowsOf(storefrontArtistGravity, { owner_reach: 6 }),
        rowsOf(artistPressMentions, {}),
      ),
    );
    expect(row).toEqual({
      rank: 2,
      name: 'Some Artist',
      catalogArtistId: 7,
      slug: 'some-artist',
      emergenceTier: 'rising',
      momentumTier: 'breakout',
      emergenceScore: 8.5,
      profile: 'festival-pedigree',
      cultureForwardFestivals: 2,
      fiveFactorScore: 0.75,
      degree: 12,
      linkable: true,
      coFestivalCount: 11,
      coCountryCount: 4,
      undergroundToBookingDays: null,
      pressToAirplayDays: null,
      demandCoverage: null,
      ownerReach: 6,
      alsoOwnDegree: null,
      earliestSupportedAt: null,
      brokerageScore: 1.25,
      corroborationCount: 2,
      corroboratingAxes: ['press', 'storefront'],
    });
  });

  it('is carried by its network where no festival that looks ahead booked it', () => {
    const none = rowsOf(artistFestivalPedigree, { culture_forward_festivals: 0 });
    for (const given of [[], [none]])
      expect(watched(...given)).toMatchObject({ profile: 'network-velocity', cultureForwardFestivals: 0 });
  });

  it('cannot be linked without a slug of its own', () => {
    expect(watched()).toMatchObject({ slug: null, linkable: false });
  });

  it('takes its degree from the brokerage where the network says nothing', () => {
    expect(watched(rowsOf(artistBrokerage, { degree: 99 })).degree).toBe(99);
    expect(watched().degree).toBe(0);
  });
});

describe('corroboration', () => {
  it.each([
    ['press', rowsOf(artistPressMentions, {}), rowsOf(artistPressMentions)],
    [
      'airplay',
      rowsOf(artistAirplayFirstAppearance, { airplay_count: 1 }),
      rowsOf(artistAirplayFirstAppearance, { airplay_count: 0 }),
    ],
    [
      'djset',
      rowsOf(artistDjsetFirstAppearance, { djset_count: 1 }),
      rowsOf(artistDjsetFirstAppearance, { djset_count: 0 }),
    ],
    [
      'storefront',
      rowsOf(storefrontArtistGravity, { owner_reach: 1 }),
      rowsOf(storefrontArtistGravity, { owner_reach: 0 }),
    ],
    [
      'sync',
      rowsOf(placementArrivalByClusterV1, { placement_count: 1 }),
      rowsOf(placementArrivalByClusterV1, { placement_count: 0 }),
    ],
  ])('by %s takes something to have been seen', (axis, seen, unseen) => {
    expect(watched(seen)).toMatchObject({ corroborationCount: 1, corroboratingAxes: [axis] });
    expect(watched(unseen)).toMatchObject({ corroborationCount: 0, corroboratingAxes: [] });
  });

  it('is not known where nobody watches', () => {
    expect(watched()).toMatchObject({ corroborationCount: null, corroboratingAxes: [] });
  });
});
