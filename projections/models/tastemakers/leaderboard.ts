import { artistBrokerage } from '../../contracts/seen/artist-brokerage.ts';
import { artistMomentum } from '../../contracts/seen/artist-momentum.ts';
import { artistNetworkPosition } from '../../contracts/seen/artist-network-position.ts';
import { ascending, descending } from '../../engine/order.ts';
import { type Read, splitRef } from '../../engine/projection.ts';
import { type TopList, topList } from '../../engine/published/top-list.ts';
import type { MirrorRows, SubjectRef } from '../../engine/rows.ts';
import type { ArtistCard } from '../artist/artist-cards.ts';
import { beyondBookings } from './beyond-bookings.ts';
import type { LeaderboardRow } from './rows.ts';

/** The leaderboard leaves out artists without a row of each: their numbers would have to be invented. */
export const leaderReads: readonly Read[] = [
  { source: artistBrokerage, by: ['artist'] },
  { source: artistNetworkPosition, by: ['artist'] },
  { source: artistMomentum, by: ['artist'] },
];

type Leader = Pick<
  LeaderboardRow,
  'ownTier' | 'degree' | 'emergingNeighbours' | 'pctEmerging' | 'brokerageScore' | 'egoDensity'
> & { readonly clusterId: string };

/** A broker and how many of its neighbours emerge. Both counts come from the network row, so they are of one day. */
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

/** Orders by brokerage, then by degree; the cluster id breaks ties. */
export const leaders = (limit: number): TopList<Leader> =>
  topList<Leader>(
    limit,
    descending((leader) => leader.brokerageScore),
    descending((leader) => leader.degree),
    ascending((leader) => leader.clusterId),
  );

/** The position of an artist in a list, and what the row is built from. */
export interface ListEntry {
  /** From 1. */
  readonly rank: number;
  readonly card: ArtistCard;
  readonly artist: SubjectRef;
  readonly rows: MirrorRows;
}

/** `rows` include the sources of `beyondBookings`. */
export function leaderboardRow(
  { ownTier, degree, emergingNeighbours, pctEmerging, brokerageScore, egoDensity }: Leader,
  { rank, card: { name, catalogArtistId, slug }, artist, rows }: ListEntry,
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
    ...beyondBookings(artist, rows),
  };
}
