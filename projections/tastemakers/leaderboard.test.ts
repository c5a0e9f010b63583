import { describe, expect, it } from 'vitest';
import { CLUSTER, mirrorRows, OTHER_CLUSTER, rowsOf } from '../../test/rows/source-rows.ts';
import { artistBrokerage } from '../sources/seen/artist-brokerage.ts';
import { artistEmergenceLeadTime } from '../sources/seen/artist-emergence-lead-time.ts';
import { artistMomentum } from '../sources/seen/artist-momentum.ts';
import { artistNetworkPosition } from '../sources/seen/artist-network-position.ts';
import { storefrontArtistGravity } from '../sources/seen/storefront-artist-gravity.ts';
import { leaderboardRow, leaderOf, leaders } from './leaderboard.ts';

const ARTIST = `artist:${CLUSTER}` as const;
const brokerage = rowsOf(artistBrokerage, { degree: 99, brokerage_score: 4.5, ego_density: 0.25 });
const network = rowsOf(artistNetworkPosition, { degree: 12, emerging_neighbours: 4 });
const momentum = rowsOf(artistMomentum, { emergence_tier: 'climbing' });

describe('a leader', () => {
  it('is made of brokerage, network and momentum, both numbers of the circle from the network', () => {
    expect(leaderOf(ARTIST, mirrorRows(brokerage, network, momentum))).toEqual({
      clusterId: CLUSTER,
      ownTier: 'climbing',
      degree: 12,
      emergingNeighbours: 4,
      pctEmerging: 400 / 12,
      brokerageScore: 4.5,
      egoDensity: 0.25,
    });
  });

  it('has no share of an empty circle', () => {
    const alone = rowsOf(artistNetworkPosition, { degree: 0, emerging_neighbours: 0 });
    expect(leaderOf(ARTIST, mirrorRows(brokerage, alone, momentum))?.pctEmerging).toBe(0);
  });

  it.each([
    ['brokerage', [network, momentum]],
    ['network', [brokerage, momentum]],
    ['momentum', [brokerage, network]],
  ])('is nobody without %s', (_name, given) => {
    expect(leaderOf(ARTIST, mirrorRows(...given))).toBeNull();
  });

  it('comes before others by score, then by degree, then by cluster; one without a score comes last', () => {
    const one = leaderOf(ARTIST, mirrorRows(brokerage, network, momentum));
    if (one === null) throw new Error('nobody leads');
    const named = [
      { ...one, clusterId: 'c', brokerageScore: null, degree: 500 },
      { ...one, clusterId: 'b', brokerageScore: 1, degree: 5 },
      { ...one, clusterId: 'a', brokerageScore: 1, degree: 5 },
      { ...one, clusterId: 'd', brokerageScore: 1, degree: 6 },
      { ...one, clusterId: 'e', brokerageScore: 2, degree: 1 },
    ];
    const list = leaders(4);
    for (const leader of named) list.add(leader);
    expect(list.rows().map(({ clusterId }) => clusterId)).toEqual(['e', 'd', 'a', 'b']);
  });
});

describe('a row of the leaderboard', () => {
  const card = {
    clusterId: CLUSTER,
    name: 'Some Artist',
    slug: 'some-artist',
    catalogArtistId: 7,
    resolvedVia: 'catalog',
  } as const;
  const leader = leaderOf(ARTIST, mirrorRows(brokerage, network, momentum));
  if (leader === null) throw new Error('nobody leads');

  it('has every field, those beside bookings from lead times and the storefront', () => {
    const rows = mirrorRows(
      rowsOf(artistEmergenceLeadTime, { underground_to_booking_days: -3, press_to_airplay_days: 40 }),
      rowsOf(storefrontArtistGravity, {
        owner_reach: 3,
        demand_coverage: 0.5,
        also_own_degree: 9,
        earliest_supported_at: '2015-02-28',
      }),
    );
    expect(leaderboardRow(leader, 3, card, ARTIST, rows)).toEqual({
      rank: 3,
      name: 'Some Artist',
      catalogArtistId: 7,
      slug: 'some-artist',
      ownTier: 'climbing',
      degree: 12,
      emergingNeighbours: 4,
      pctEmerging: 400 / 12,
      brokerageScore: 4.5,
      egoDensity: 0.25,
      undergroundToBookingDays: -3,
      pressToAirplayDays: 40,
      demandCoverage: 0.5,
      ownerReach: 3,
      alsoOwnDegree: 9,
      earliestSupportedAt: '2015-02-28',
    });
  });

  it('is null where nobody says, also where only others are spoken of', () => {
    const rows = mirrorRows(rowsOf(artistEmergenceLeadTime, { cluster_id: OTHER_CLUSTER }));
    expect(leaderboardRow(leader, 1, card, ARTIST, rows)).toMatchObject({
      undergroundToBookingDays: null,
      pressToAirplayDays: null,
      demandCoverage: null,
      ownerReach: null,
      alsoOwnDegree: null,
      earliestSupportedAt: null,
    });
  });
});
