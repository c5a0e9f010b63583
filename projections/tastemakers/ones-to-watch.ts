import { ascending, descending } from '../order.ts';
import { type Read, splitRef } from '../projection.ts';
import type { ArtistCard } from '../published/artist-cards.ts';
import { type TopList, topList } from '../published/top-list.ts';
import type { MirrorRows, SubjectRef } from '../rows.ts';
import { artistPressMentions } from '../sources/archive/artist-press-mentions.ts';
import type { Source } from '../sources/contract.ts';
import { artistAirplayFirstAppearance } from '../sources/seen/artist-airplay-first-appearance.ts';
import { artistBrokerage } from '../sources/seen/artist-brokerage.ts';
import { artistDjsetFirstAppearance } from '../sources/seen/artist-djset-first-appearance.ts';
import { artistFestivalPedigree } from '../sources/seen/artist-festival-pedigree.ts';
import { artistMomentum } from '../sources/seen/artist-momentum.ts';
import { artistNetworkPosition } from '../sources/seen/artist-network-position.ts';
import { storefrontArtistGravity } from '../sources/seen/storefront-artist-gravity.ts';
import { placementArrivalByClusterV1 } from '../sources/sync/placement-arrival-by-cluster-v1.ts';
import { furtherOf } from './further.ts';
import type { OneToWatch } from './rows.ts';

export const emergingReads: readonly Read[] = [{ source: artistMomentum, by: ['artist'] }];

type Emerging = Pick<OneToWatch, 'emergenceTier' | 'momentumTier' | 'emergenceScore'> & {
  readonly clusterId: string;
  readonly momentumScore: number;
};

/** Null for an artist who does not emerge, or has lost momentum. */
export function emergingOf(artist: SubjectRef, rows: MirrorRows): Emerging | null {
  const row = rows.one(artistMomentum, artist);
  if (row === null || !isHot(row.emergence_tier) || !isHot(row.momentum_tier)) return null;
  return {
    clusterId: splitRef(artist).value,
    emergenceTier: row.emergence_tier,
    momentumTier: row.momentum_tier,
    emergenceScore: row.emergence_score,
    momentumScore: row.momentum_score,
  };
}

const isHot = (tier: string): boolean => tier === 'breakout' || tier === 'rising';

/** Who emerges most comes first, then who gains most momentum; the cluster id settles the rest. */
export const emerging = (limit: number): TopList<Emerging> =>
  topList<Emerging>(
    limit,
    descending((one) => one.emergenceScore),
    descending((one) => one.momentumScore),
    ascending((one) => one.clusterId),
  );

type Axis = OneToWatch['corroboratingAxes'][number];

/** Who else saw the artist: each axis, the source that tells, and whether its rows do. */
const AXES: readonly {
  readonly axis: Axis;
  readonly source: Source;
  corroborates(artist: SubjectRef, rows: MirrorRows): boolean;
}[] = [
  {
    axis: 'press',
    source: artistPressMentions,
    corroborates: (artist, rows) => rows.one(artistPressMentions, artist) !== null,
  },
  {
    axis: 'airplay',
    source: artistAirplayFirstAppearance,
    corroborates: (artist, rows) => (rows.one(artistAirplayFirstAppearance, artist)?.airplay_count ?? 0) > 0,
  },
  {
    axis: 'djset',
    source: artistDjsetFirstAppearance,
    corroborates: (artist, rows) => (rows.one(artistDjsetFirstAppearance, artist)?.djset_count ?? 0) > 0,
  },
  {
    axis: 'storefront',
    source: storefrontArtistGravity,
    corroborates: (artist, rows) => (rows.one(storefrontArtistGravity, artist)?.owner_reach ?? 0) > 0,
  },
  {
    axis: 'sync',
    source: placementArrivalByClusterV1,
    corroborates: (artist, rows) => (rows.one(placementArrivalByClusterV1, artist)?.placement_count ?? 0) > 0,
  },
];

/** What is read of those who have a place. */
export const watchReads: readonly Read[] = [
  ...AXES.map(({ source }) => source),
  artistBrokerage,
  artistFestivalPedigree,
  artistNetworkPosition,
].map((source) => ({ source, by: ['artist'] }));

/** @param rows of `watchReads`, and of the sources that `furtherOf` reads */
export function oneToWatch(
  { emergenceTier, momentumTier, emergenceScore }: Emerging,
  rank: number,
  { name, catalogArtistId, slug }: ArtistCard,
  artist: SubjectRef,
  rows: MirrorRows,
): OneToWatch {
  const pedigree = rows.one(artistFestivalPedigree, artist);
  const brokerage = rows.one(artistBrokerage, artist);
  const cultureForwardFestivals = pedigree?.culture_forward_festivals ?? 0;
  const axes = AXES.filter(({ corroborates }) => corroborates(artist, rows)).map(({ axis }) => axis);
  return {
    rank,
    name,
    catalogArtistId,
    slug,
    emergenceTier,
    momentumTier,
    emergenceScore,
    profile: cultureForwardFestivals > 0 ? 'festival-pedigree' : 'network-velocity',
    cultureForwardFestivals,
    fiveFactorScore: pedigree?.five_factor_score ?? null,
    degree: (rows.one(artistNetworkPosition, artist) ?? brokerage)?.degree ?? 0,
    linkable: slug !== null,
    coFestivalCount: pedigree?.co_festival_count ?? null,
    coCountryCount: pedigree?.co_country_count ?? null,
    ...furtherOf(artist, rows),
    brokerageScore: brokerage?.brokerage_score ?? null,
    // Where no axis is watched at all, none of them is known to be silent.
    corroborationCount: AXES.some(({ source }) => rows.hasDelivered(source)) ? axes.length : null,
    corroboratingAxes: axes,
  };
}
