import { describe, expect, it } from 'vitest';
import { artistFacetRows, boundArtist, clusterOnlyArtist } from '../../../../test/support/rows/artist.ts';
import { rowsOf, type SourceRows } from '../../../../test/support/rows/source-rows.ts';
import { editorialArtistAttention } from '../../../contracts/editorial/artist-attention.ts';
import { artistAirplayFirstAppearance } from '../../../contracts/seen/artist-airplay-first-appearance.ts';
import { artistBrokerage } from '../../../contracts/seen/artist-brokerage.ts';
import { artistEmergenceLeadTime } from '../../../contracts/seen/artist-emergence-lead-time.ts';
import { artistMomentum } from '../../../contracts/seen/artist-momentum.ts';
import { artistNetworkPosition } from '../../../contracts/seen/artist-network-position.ts';
import { artistTierPresence } from '../../../contracts/seen/artist-tier-presence.ts';
import { liveDemand as liveDemandSource } from '../../../contracts/seen/live-demand.ts';
import { storefrontArtistGravity } from '../../../contracts/seen/storefront-artist-gravity.ts';
import { storefrontArtistTastemakerQuality } from '../../../contracts/seen/storefront-artist-tastemaker-quality.ts';
import { storefrontArtistEmergence } from '../../../contracts/storefront/artist-emergence.ts';
import type { Facet } from '../../../engine/facet.ts';
import { airplayBreadth } from './airplay-breadth.ts';
import { brokerage } from './brokerage.ts';
import { earlyDemand } from './early-demand.ts';
import { editorialAttention } from './editorial-attention.ts';
import { emergence } from './emergence.ts';
import { leadTime } from './lead-time.ts';
import { liveDemand } from './live-demand.ts';
import { networkPosition } from './network-position.ts';
import { storefrontEmergence } from './storefront-emergence.ts';
import { storefrontTastemaker } from './storefront-tastemaker.ts';
import { tierPresence } from './tier-presence.ts';

interface Example {
  readonly facet: Facet;
  readonly row: SourceRows;
  readonly signals: object;
}

const examples: readonly Example[] = [
  {
    facet: emergence,
    row: rowsOf(artistMomentum, {
      emergence_tier: 'climbing',
      momentum_tier: 'cooling',
      emergence_score: 41.5,
      momentum_score: -3.25,
      establishment_delta: 0.75,
      events_recent: 6,
      is_fresh_breakout: true,
      is_unsigned: false,
      as_of: '2019-06-30',
    }),
    signals: {
      emergenceTier: 'climbing',
      momentumTier: 'cooling',
      emergenceScore: 41.5,
      momentumScore: -3.25,
      establishmentDelta: 0.75,
      eventsRecent: 6,
      isFreshBreakout: true,
      isUnsigned: false,
    },
  },
  {
    facet: tierPresence,
    row: rowsOf(artistTierPresence, {
      spans_tiers: true,
      plays_clubs: true,
      plays_festivals: false,
      club_events: 7,
      festival_editions: 2,
      first_club_at: '2011-01-01',
      last_club_at: '2012-01-01',
      first_festival_at: '2013-01-01',
      last_festival_at: '2014-01-01',
    }),
    signals: {
      spansTiers: true,
      playsClubs: true,
      playsFestivals: false,
      clubEvents: 7,
      festivalEditions: 2,
      firstClubAt: '2011-01-01',
      lastClubAt: '2012-01-01',
      firstFestivalAt: '2013-01-01',
      lastFestivalAt: '2014-01-01',
    },
  },
  {
    facet: liveDemand,
    row: rowsOf(liveDemandSource, {
      demand_tier: 'high',
      demand_momentum_score: 1.5,
      avg_fill_fraction: 0.8,
      max_sold_out_lead_days: 30,
      events_tracked: 9,
      events_sold_out: 4,
      distinct_providers: 2,
      distinct_promoters: 3,
    }),
    signals: {
      demandTier: 'high',
      demandMomentumScore: 1.5,
      avgFillFraction: 0.8,
      maxSoldOutLeadDays: 30,
      eventsTracked: 9,
      eventsSoldOut: 4,
      distinctProviders: 2,
      distinctPromoters: 3,
    },
  },
  {
    facet: networkPosition,
    row: rowsOf(artistNetworkPosition, {
      degree: 20,
      weighted_degree: 31.5,
      recent_degree: 4,
      resolved_neighbour_ratio: 0.5,
      establishment_delta: -0.5,
      emerging_neighbours: 6,
    }),
    signals: {
      degree: 20,
      weightedDegree: 31.5,
      recentDegree: 4,
      resolvedNeighbourRatio: 0.5,
      establishmentDelta: -0.5,
    },
  },
  {
    facet: brokerage,
    row: rowsOf(artistBrokerage, {
      degree: 20,
      effective_size: 12.5,
      brokerage_score: 88,
      brokerage_tier: 'bridge',
      ego_density: 0.1,
    }),
    signals: {
      degree: 20,
      effectiveSize: 12.5,
      brokerageScore: 88,
      brokerageTier: 'bridge',
    },
  },
  {
    facet: leadTime,
    row: rowsOf(artistEmergenceLeadTime, {
      press_to_airplay_days: -12,
      underground_to_booking_days: 0,
    }),
    signals: { pressToAirplayDays: -12, undergroundToBookingDays: 0 },
  },
  {
    facet: leadTime,
    row: rowsOf(artistEmergenceLeadTime, { underground_to_booking_days: 40 }),
    signals: { undergroundToBookingDays: 40 },
  },
  {
    facet: airplayBreadth,
    row: rowsOf(artistAirplayFirstAppearance, {
      first_airplay_date: '2012-02-01',
      latest_airplay_date: '2018-03-01',
      airplay_count: 50,
      distinct_stations: 4,
      distinct_venues: 6,
      distinct_djs: 5,
    }),
    signals: {
      firstAirplayDate: '2012-02-01',
      latestAirplayDate: '2018-03-01',
      airplayCount: 50,
      distinctStations: 4,
      distinctVenues: 6,
      distinctDjs: 5,
    },
  },
  {
    facet: storefrontTastemaker,
    row: rowsOf(storefrontArtistTastemakerQuality, {
      supporter_cohort_size: 40,
      aesq: 0.6,
      aesq_median: 0.5,
      aesq_rw: 0.7,
      mean_first_buyer_earliness: 0.9,
    }),
    signals: {
      supporterCohortSize: 40,
      aesq: 0.6,
      aesqMedian: 0.5,
      aesqRw: 0.7,
      meanFirstBuyerEarliness: 0.9,
    },
  },
  {
    facet: earlyDemand,
    row: rowsOf(storefrontArtistGravity, {
      owner_reach: 3,
      wishlist_demand: 5,
      earliest_supported_at: '2015-01-01',
      earliest_wished_at: '2016-01-01',
      demand_coverage: 0.2,
      wished_coverage: 0.4,
      also_own_degree: 8,
    }),
    signals: {
      ownerReach: { kind: 'count', value: 3 },
      wishlistDemand: { kind: 'count', value: 5 },
      earliestSupportedAt: '2015-01-01',
      earliestWishedAt: '2016-01-01',
      demandCoverage: 0.2,
      wishedCoverage: 0.4,
      alsoOwnDegree: 8,
    },
  },
  {
    facet: storefrontEmergence,
    row: rowsOf(storefrontArtistEmergence, {
      emergence_class: 'latent',
      demand_lead: 3.5,
      demand_ratio: 1.25,
      owner_reach: 3,
      wishlist_demand: 5,
      distinct_releases: 2,
      earliest_wished_at: '2016-01-01',
    }),
    signals: {
      emergenceClass: 'latent',
      demandLead: 3.5,
      demandRatio: 1.25,
      ownerReach: 3,
      wishlistDemand: 5,
      distinctReleases: 2,
      earliestWishedAt: '2016-01-01',
    },
  },
  {
    facet: storefrontEmergence,
    row: rowsOf(storefrontArtistEmergence, {
      emergence_class: 'latent',
      demand_lead: 0,
    }),
    signals: {
      emergenceClass: 'latent',
      demandLead: 0,
      demandRatio: null,
      ownerReach: null,
      wishlistDemand: null,
      distinctReleases: null,
      earliestWishedAt: null,
    },
  },
  {
    facet: editorialAttention,
    row: rowsOf(editorialArtistAttention, {
      member_count: 11,
      source_repo_count: 2,
      first_observed_at: '2010-01-01',
      latest_observed_at: '2019-01-01',
    }),
    signals: {
      memberCount: 11,
      sourceRepoCount: 2,
      firstObservedAt: '2010-01-01',
      latestObservedAt: '2019-01-01',
    },
  },
];

describe.each(examples)('$facet.name', ({ facet, row, signals }) => {
  it.each([boundArtist, clusterOnlyArtist])('carries the row of its source in the $lane lane', (subject) => {
    expect(facet.build(artistFacetRows(subject, row)).value).toStrictEqual({
      state: 'present',
      signals,
    });
  });
});

describe('lead_time', () => {
  it('is empty if neither day is known', () => {
    const unknown = rowsOf(artistEmergenceLeadTime, {});
    expect(leadTime.build(artistFacetRows(boundArtist, unknown)).value).toEqual({
      state: 'empty',
      signals: null,
    });
  });
});

describe('fewer than five wishes are reported as none, and nothing reveals them', () => {
  const few = [0, 1, 4];

  it.each(few)('in early_demand: %i', (wishlist_demand) => {
    const row = rowsOf(storefrontArtistGravity, {
      owner_reach: 4,
      wishlist_demand,
      earliest_supported_at: '2015-01-01',
      earliest_wished_at: '2016-01-01',
      demand_coverage: 0.2,
      wished_coverage: 0.4,
    });
    expect(earlyDemand.build(artistFacetRows(boundArtist, row)).value).toMatchObject({
      signals: {
        ownerReach: { kind: 'count', value: 4 },
        wishlistDemand: { kind: 'count', value: 0 },
        earliestSupportedAt: '2015-01-01',
        earliestWishedAt: null,
        demandCoverage: 0.2,
        wishedCoverage: null,
      },
    });
  });

  it.each(few)('in storefront_emergence: %i', (wishlist_demand) => {
    const row = rowsOf(storefrontArtistEmergence, {
      emergence_class: 'latent',
      demand_lead: 3.5,
      demand_ratio: 1.25,
      owner_reach: 4,
      wishlist_demand,
      earliest_wished_at: '2016-01-01',
    });
    expect(storefrontEmergence.build(artistFacetRows(boundArtist, row)).value).toMatchObject({
      signals: {
        emergenceClass: 'latent',
        demandLead: 3.5,
        demandRatio: null,
        ownerReach: 4,
        wishlistDemand: 0,
        earliestWishedAt: null,
      },
    });
  });
});
