import { Type } from '@sinclair/typebox';
import { artistEmergenceLeadTime } from '../../../contracts/seen/artist-emergence-lead-time.ts';
import { defineArtistFacet } from '../facet.ts';

export const leadTime = defineArtistFacet({
  name: 'lead_time',
  sources: [artistEmergenceLeadTime],
  description: 'Days from the first press to the first airplay, and from DJ sets to the first booking.',
  signals: Type.Object({
    pressToAirplayDays: Type.Optional(
      Type.Number({
        description:
          'Days from the first press to the first airplay; negative if the radio was first; left out where unknown.',
      }),
    ),
    undergroundToBookingDays: Type.Optional(
      Type.Number({
        description:
          'Days from the first DJ set to the first booking; negative if the booking was first; left out where unknown.',
      }),
    ),
  }),
  read(rows) {
    const row = rows.one(artistEmergenceLeadTime);
    if (row === null) return null;
    const { press_to_airplay_days: toAirplay, underground_to_booking_days: toBooking } = row;
    if (toAirplay === null && toBooking === null) return null;
    return {
      ...(toAirplay === null ? {} : { pressToAirplayDays: toAirplay }),
      ...(toBooking === null ? {} : { undergroundToBookingDays: toBooking }),
    };
  },
});
