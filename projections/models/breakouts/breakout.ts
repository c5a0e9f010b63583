import { artistPressMentions } from '../../contracts/archive/artist-press-mentions.ts';
import { artistMomentum } from '../../contracts/seen/artist-momentum.ts';
import { ascending, descending } from '../../engine/order.ts';
import { splitRef } from '../../engine/projection.ts';
import type { MirrorRows, SubjectRef } from '../../engine/rows.ts';
import type { ArtistCard } from '../artist/artist-cards.ts';
import { artistPath } from '../shared/links.ts';
import { type BreakoutItem, TIERS } from './item.ts';

/** The part of an item that comes from the artist's own rows. */
export type Breakout = Omit<BreakoutItem, 'name' | 'slug' | 'catalogArtistId' | 'resolvedVia' | '_links'>;

/** Whether the artist's momentum qualifies for the index. */
export function isBreakingOut(artist: SubjectRef, rows: MirrorRows): boolean {
  const tier = rows.one(artistMomentum, artist)?.emergence_tier;
  return TIERS.some((one) => one === tier);
}

/** Null if the artist does not break out. @param rows momentum and mentions of the artist */
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

/** Orders by emergence, then by momentum; the cluster id breaks ties. */
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
  // The slug of a catalogue artist leads to the catalogue's dossier; a cluster's own slug might not.
  _links: {
    artist: artistPath(catalogArtistId === null ? breakout.clusterId : (slug ?? breakout.clusterId)),
  },
});
