import type { MirrorRows, SubjectRef } from '../rows.ts';
import { artistEmergenceLeadTime } from '../sources/seen/artist-emergence-lead-time.ts';
import { storefrontArtistGravity } from '../sources/seen/storefront-artist-gravity.ts';
import type { LeaderboardRow } from './rows.ts';

type Further = Pick<
  LeaderboardRow,
  | 'undergroundToBookingDays'
  | 'pressToAirplayDays'
  | 'demandCoverage'
  | 'ownerReach'
  | 'alsoOwnDegree'
  | 'earliestSupportedAt'
>;

/** What is known of an artist beside bookings, each null where no source says. */
export function furtherOf(artist: SubjectRef, rows: MirrorRows): Further {
  const leadTime = rows.one(artistEmergenceLeadTime, artist);
  const gravity = rows.one(storefrontArtistGravity, artist);
  return {
    undergroundToBookingDays: leadTime?.underground_to_booking_days ?? null,
    pressToAirplayDays: leadTime?.press_to_airplay_days ?? null,
    demandCoverage: gravity?.demand_coverage ?? null,
    ownerReach: gravity?.owner_reach ?? null,
    alsoOwnDegree: gravity?.also_own_degree ?? null,
    earliestSupportedAt: gravity?.earliest_supported_at ?? null,
  };
}
