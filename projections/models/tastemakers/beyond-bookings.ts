import { artistEmergenceLeadTime } from '../../contracts/seen/artist-emergence-lead-time.ts';
import { storefrontArtistGravity } from '../../contracts/seen/storefront-artist-gravity.ts';
import type { MirrorRows, SubjectRef } from '../../engine/rows.ts';
import type { LeaderboardRow } from './rows.ts';

type BeyondBookings = Pick<
  LeaderboardRow,
  | 'undergroundToBookingDays'
  | 'pressToAirplayDays'
  | 'demandCoverage'
  | 'ownerReach'
  | 'alsoOwnDegree'
  | 'earliestSupportedAt'
>;

/** Facts about an artist beyond bookings, null if no source has them. */
export function beyondBookings(artist: SubjectRef, rows: MirrorRows): BeyondBookings {
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
