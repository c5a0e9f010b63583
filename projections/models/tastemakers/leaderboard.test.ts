import { describe, expect, it } from 'vitest';
import { CLUSTER, mirrorRows, OTHER_CLUSTER, rowsOf } from '../../../test/support/rows/source-rows.ts';
import { artistBrokerage } from '../../contracts/seen/artist-brokerage.ts';
import { artistEmergenceLeadTime } from '../../contracts/seen/artist-emergence-lead-time.ts';
import { artistMomentum } from '../../contracts/seen/artist-momentum.ts';
import { artistNetworkPosition } from '../../contracts/seen/artist-network-position.ts';
import { storefrontArtistGravity } from '../../contracts/seen/storefront-artist-gravity.ts';
import { leaderboardRow, leaderOf, leaders } from './leaderboard.ts';

const ARTIST = `artist:${CLUSTER}` as const;
const brokerage = rowsOf(artistBrokerage, { degree: 99, brokerage_score: 4.5, ego_density: 0.25 });
const network = rowsOf(artistNetworkPosition, { degree: 12, emerging_neighbours: 4 });
const momentum = rowsOf(artistMomentum, { emergence_tier: 'climbing' });

describe('a leader', () => {
  it('combines brokerage, network and momentum, with both circle numbers from the network', () => {
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

  it('has no share for an empty circle', () => {
    const alone = rowsOf(artistNetworkPosition, { degree: 0, emerging_neighbours: 0 });
    expect(leaderOf(ARTIST, mirrorRows(brokerage, alone, momentum))?.pctEmerging).toBe(0);
  });

  it.each([
    ['brokerage', [network, momentum]],
    ['network', [brokerage, momentum]],
    ['momentum', [brokerage, network]],
  ])('is null without %s', (_name, given) => {
    expect(leaderOf(ARTIST, mirrorRows(...given))).toBeNull();
  });

  it('sorts by score, then degree, then cluster; without a score it comes last', () => {
    const one = leaderOf(ARTIST, mirrorRows(brokerage, network, momentum));
    if (one === null) throw new Error('no leader');
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
  if (leader === null) throw new Error('no leader');

  it('has every field, including those from lead times and the storefront', () => {
    const rows = mirrorRows(
      rowsOf(artistEmergenceLeadTime, { underground_to_booking_days: -3, press_to_airplay_days: 40 }),
      rowsOf(storefrontArtistGravity, {
        owner_reach: 3,
        demand_coverage: 0.5,
        also_own_degree: 9,
        earliest_supported_at: '2015-02-28',
      }),
    );
    expect(leaderboardRow(leader, { rank: 3, card, artist: ARTIST, rows })).toEqual({
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

  it('is null without rows, also if only other artists have rows', () => {
    const rows = mirrorRows(rowsOf(artistEmergenceLeadTime, { cluster_id: OTHER_CLUSTER }));
    expect(leaderboardRow(leader, { rank: 1, card, artist: ARTIST, rows })).toMatchObject({
      undergroundToBookingDays: null,
      pressToAirplayDays: null,
      demandCoverage: null,
      ownerReach: null,
      alsoOwnDegree: null,
      earliestSupportedAt: null,
    });
  });
});
