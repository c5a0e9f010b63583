import { describe, expect, it } from 'vitest';
import { CLUSTER, mirrorRows, rowsOf, type SourceRows } from '../../../test/support/rows/source-rows.ts';
import { artistPressMentions } from '../../contracts/archive/artist-press-mentions.ts';
import { artistAirplayFirstAppearance } from '../../contracts/seen/artist-airplay-first-appearance.ts';
import { artistBrokerage } from '../../contracts/seen/artist-brokerage.ts';
import { artistDjsetFirstAppearance } from '../../contracts/seen/artist-djset-first-appearance.ts';
import { artistFestivalCoAppearance } from '../../contracts/seen/artist-festival-co-appearance.ts';
import { artistFestivalPedigree } from '../../contracts/seen/artist-festival-pedigree.ts';
import { artistMomentum } from '../../contracts/seen/artist-momentum.ts';
import { artistNetworkPosition } from '../../contracts/seen/artist-network-position.ts';
import { storefrontArtistGravity } from '../../contracts/seen/storefront-artist-gravity.ts';
import { placementArrivalByClusterV1 } from '../../contracts/sync/placement-arrival-by-cluster-v1.ts';
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
const watched = (...given: SourceRows[]) =>
  oneToWatch(one, { rank: 1, card, artist: ARTIST, rows: mirrorRows(...given) });

describe('one to watch', () => {
  const tiers = ['breakout', 'rising', 'climbing', 'steady'] as const;
  const momenta = ['breakout', 'rising', 'steady', 'cooling', 'dormant'] as const;
  it.each(tiers.flatMap((tier) => momenta.map((momentum) => [tier, momentum] as const)))(
    'with tier %s and momentum %s is included only if both are breakout or rising',
    (emergence_tier, momentum_tier) => {
      const rows = mirrorRows(rowsOf(artistMomentum, { emergence_tier, momentum_tier }));
      const isHot = (tier: string) => ['breakout', 'rising'].includes(tier);
      expect(emergingOf(ARTIST, rows) !== null).toBe(isHot(emergence_tier) && isHot(momentum_tier));
    },
  );

  it('sorts by emergence, then momentum, then cluster', () => {
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
    const row = oneToWatch(one, {
      rank: 2,
      card: { ...card, slug: 'some-artist', catalogArtistId: 7, resolvedVia: 'catalog' },
      artist: ARTIST,
      rows: mirrorRows(
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
    });
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

  it('takes shared festivals and countries from the co-appearances where the pedigree is silent', () => {
    const shared = rowsOf(
      artistFestivalCoAppearance,
      { co_festival_count: 5, co_country_count: 2 },
      { co_festival_count: 3, co_country_count: 3 },
    );
    expect(watched(shared)).toMatchObject({ coFestivalCount: 5, coCountryCount: 3 });
    const silent = rowsOf(artistFestivalPedigree, { co_festival_count: null, co_country_count: null });
    expect(watched(shared, silent)).toMatchObject({ coFestivalCount: 5, coCountryCount: 3 });
    const known = rowsOf(artistFestivalPedigree, { co_festival_count: 11, co_country_count: null });
    expect(watched(shared, known)).toMatchObject({ coFestivalCount: 11, coCountryCount: 3 });
    expect(watched(rowsOf(artistFestivalCoAppearance))).toMatchObject({
      coFestivalCount: null,
      coCountryCount: null,
    });
  });

  it('has a network profile if no culture-forward festival booked it', () => {
    const none = rowsOf(artistFestivalPedigree, { culture_forward_festivals: 0 });
    for (const given of [[], [none]])
      expect(watched(...given)).toMatchObject({ profile: 'network-velocity', cultureForwardFestivals: 0 });
  });

  it('has no link without its own slug', () => {
    expect(watched()).toMatchObject({ slug: null, linkable: false });
  });

  it('takes its degree from the brokerage if there is no network row', () => {
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
  ])('by %s needs at least one observation', (axis, seen, unseen) => {
    expect(watched(seen)).toMatchObject({ corroborationCount: 1, corroboratingAxes: [axis] });
    expect(watched(unseen)).toMatchObject({ corroborationCount: 0, corroboratingAxes: [] });
  });

  it('is unknown if no axis has delivered', () => {
    expect(watched()).toMatchObject({ corroborationCount: null, corroboratingAxes: [] });
  });
});
