import { artistPath } from '../links.ts';
import { ascending, descending } from '../order.ts';
import { splitRef } from '../projection.ts';
import type { ArtistCard } from '../published/artist-cards.ts';
import type { MirrorRows, SubjectRef } from '../rows.ts';
import { artistPressMentions } from '../sources/archive/artist-press-mentions.ts';
import { artistMomentum } from '../sources/seen/artist-momentum.ts';
import { type BreakoutItem, TIERS } from './item.ts';

/** What an item says that the artist's own rows tell. */
export type Breakout = Omit<BreakoutItem, 'name' | 'slug' | 'catalogArtistId' | 'resolvedVia' | '_links'>;

/** Whether the artist's rows of momentum call for a place. */
export function isBreakingOut(artist: SubjectRef, rows: MirrorRows): boolean {
  const tier = rows.one(artistMomentum, artist)?.emergence_tier;
  return TIERS.some((one) => one === tier);
}

/** @param rows momentum and mentions of the artist; null where it does not break out */
export function breakoutOf(artist: SubjectRef, rows: MirrorRows): Breakout | null {
  const row = rows.one(artistMomentum, artist);
  const emergenceTier = TIERS.find((tier) => tier === row?.emergence_tier);
  if (row === null || emergenceTier === undefined) return null;
  const pressCount = new Set(rows.all(artistPressMentions, artist).map(({ url }) => url)).size;
  return {
    clusterId: splitRef(artist).value,
    emergenceTier,
    momentumTier: row.momentum_tier,
    emergenceScore: row.emergence_score,
    momentumScore: row.momentum_score,
    eventsRecent: row.events_recent,
    corroboration: pressCount > 0 ? 'corroborated' : 'booking_ahead',
    pressCount,
  };
}

/** Who emerges most comes first, then who gains most momentum; the cluster id settles the rest. */
export const breakoutOrders = [
  descending((one: Breakout) => one.emergenceScore),
  descending((one: Breakout) => one.momentumScore),
  ascending((one: Breakout) => one.clusterId),
];

export const breakoutItem = (
  breakout: Breakout,
  { name, slug, catalogArtistId, resolvedVia }: ArtistCard,
): BreakoutItem => ({
  clusterId: breakout.clusterId,
  name,
  slug,
  catalogArtistId,
  resolvedVia,
  emergenceTier: breakout.emergenceTier,
  momentumTier: breakout.momentumTier,
  emergenceScore: breakout.emergenceScore,
  momentumScore: breakout.momentumScore,
  eventsRecent: breakout.eventsRecent,
  corroboration: breakout.corroboration,
  pressCount: breakout.pressCount,
  _links: { artist: artistPath(breakout.clusterId) },
});
