import { artistPressMentions } from '../../contracts/archive/artist-press-mentions.ts';
import type { Source } from '../../contracts/contract.ts';
import { artistAirplayFirstAppearance } from '../../contracts/seen/artist-airplay-first-appearance.ts';
import { artistBrokerage } from '../../contracts/seen/artist-brokerage.ts';
import { artistDjsetFirstAppearance } from '../../contracts/seen/artist-djset-first-appearance.ts';
import { artistFestivalCoAppearance } from '../../contracts/seen/artist-festival-co-appearance.ts';
import { artistFestivalPedigree } from '../../contracts/seen/artist-festival-pedigree.ts';
import { artistMomentum } from '../../contracts/seen/artist-momentum.ts';
import { artistNetworkPosition } from '../../contracts/seen/artist-network-position.ts';
import { storefrontArtistGravity } from '../../contracts/seen/storefront-artist-gravity.ts';
import { placementArrivalByClusterV1 } from '../../contracts/sync/placement-arrival-by-cluster-v1.ts';
import { ascending, descending } from '../../engine/order.ts';
import { type Read, splitRef } from '../../engine/projection.ts';
import { type TopList, topList } from '../../engine/published/top-list.ts';
import type { MirrorRows, SubjectRef } from '../../engine/rows.ts';
import { beyondBookings } from './beyond-bookings.ts';
import type { ListEntry } from './leaderboard.ts';
import type { OneToWatch } from './rows.ts';

export const emergingReads: readonly Read[] = [{ source: artistMomentum, by: ['artist'] }];

type Emerging = Pick<OneToWatch, 'emergenceTier' | 'momentumTier' | 'emergenceScore'> & {
  readonly clusterId: string;
  readonly momentumScore: number;
};

/** Null for an artist who does not emerge or has lost momentum. */
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

/** Orders by emergence, then by momentum; the cluster id breaks ties. */
export const emerging = (limit: number): TopList<Emerging> =>
  topList<Emerging>(
    limit,
    descending((one) => one.emergenceScore),
    descending((one) => one.momentumScore),
    ascending((one) => one.clusterId),
  );

type Axis = OneToWatch['corroboratingAxes'][number];

/** The axes that may corroborate bookings, each with its source. */
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

/** Read for the artists in the list. */
export const watchReads: readonly Read[] = [
  ...AXES.map(({ source }) => source),
  artistBrokerage,
  artistFestivalCoAppearance,
  artistFestivalPedigree,
  artistNetworkPosition,
].map((source) => ({ source, by: ['artist'] }));

/** `rows` include `watchReads` and the sources of `beyondBookings`. */
export function oneToWatch(
  { emergenceTier, momentumTier, emergenceScore }: Emerging,
  { rank, card: { name, catalogArtistId, slug }, artist, rows }: ListEntry,
): OneToWatch {
  const pedigree = rows.one(artistFestivalPedigree, artist);
  const shared = rows.all(artistFestivalCoAppearance, artist);
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
    coFestivalCount: pedigree?.co_festival_count ?? most(shared.map((row) => row.co_festival_count)),
    coCountryCount: pedigree?.co_country_count ?? most(shared.map((row) => row.co_country_count)),
    ...beyondBookings(artist, rows),
    brokerageScore: brokerage?.brokerage_score ?? null,
    // Unknown, not zero, before any axis has been delivered.
    corroborationCount: AXES.some(({ source }) => rows.hasDelivered(source)) ? axes.length : null,
    corroboratingAxes: axes,
  };
}

/** Other artists share some of the same festivals, so the counts must not be summed: the greatest is what is certain. */
const most = (counts: readonly number[]): number | null =>
  counts.length === 0 ? null : counts.reduce((a, b) => Math.max(a, b));
