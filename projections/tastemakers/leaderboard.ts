import { ascending, descending } from '../order.ts';
import { type Read, splitRef } from '../projection.ts';
import type { ArtistCard } from '../published/artist-cards.ts';
import { type TopList, topList } from '../published/top-list.ts';
import type { MirrorRows, SubjectRef } from '../rows.ts';
import { artistBrokerage } from '../sources/seen/artist-brokerage.ts';
import { artistMomentum } from '../sources/seen/artist-momentum.ts';
import { artistNetworkPosition } from '../sources/seen/artist-network-position.ts';
import { furtherOf } from './further.ts';
import type { LeaderboardRow } from './rows.ts';

/** Whoever lacks a row of one of them is left out: the numbers that a place calls for would have to be invented. */
export const leaderReads: readonly Read[] = [
  { source: artistBrokerage, by: ['artist'] },
  { source: artistNetworkPosition, by: ['artist'] },
  { source: artistMomentum, by: ['artist'] },
];

type Leader = Pick<
  LeaderboardRow,
  'ownTier' | 'degree' | 'emergingNeighbours' | 'pctEmerging' | 'brokerageScore' | 'egoDensity'
> & { readonly clusterId: string };

/** The broker among artists, and how many of those met emerge. Both numbers are of the network's row, which is of one day. */
export function leaderOf(artist: SubjectRef, rows: MirrorRows): Leader | null {
  const brokerage = rows.one(artistBrokerage, artist);
  const network = rows.one(artistNetworkPosition, artist);
  const momentum = rows.one(artistMomentum, artist);
  if (brokerage === null || network === null || momentum === null) return null;
  const { degree, emerging_neighbours } = network;
  return {
    clusterId: splitRef(artist).value,
    ownTier: momentum.emergence_tier,
    degree,
    emergingNeighbours: emerging_neighbours,
    pctEmerging: degree === 0 ? 0 : (100 * emerging_neighbours) / degree,
    brokerageScore: brokerage.brokerage_score,
    egoDensity: brokerage.ego_density,
  };
}

/** The best broker first, then who met the most; the cluster id settles the rest. */
export const leaders = (limit: number): TopList<Leader> =>
  topList<Leader>(
    limit,
    descending((leader) => leader.brokerageScore),
    descending((leader) => leader.degree),
    ascending((leader) => leader.clusterId),
  );

/** @param rows of the sources that `furtherOf` reads */
export function leaderboardRow(
  { ownTier, degree, emergingNeighbours, pctEmerging, brokerageScore, egoDensity }: Leader,
  rank: number,
  { name, catalogArtistId, slug }: ArtistCard,
  artist: SubjectRef,
  rows: MirrorRows,
): LeaderboardRow {
  return {
    rank,
    name,
    catalogArtistId,
    slug,
    ownTier,
    degree,
    emergingNeighbours,
    pctEmerging,
    brokerageScore,
    egoDensity,
    ...furtherOf(artist, rows),
  };
}
