import { Type } from '@sinclair/typebox';
import { artistEmergenceLeadTime } from '../../sources/seen/artist-emergence-lead-time.ts';
import { orNull } from '../../values.ts';
import { defineArtistFacet } from '../facet.ts';

export const leadTime = defineArtistFacet({
  name: 'lead_time',
  sources: [artistEmergenceLeadTime],
  description: 'Days from the first press to the first airplay, and from DJ sets to the first booking.',
  signals: Type.Object({
    pressToAirplayDays: orNull(
      Type.Number({
        description:
          'Days from the first press to the first airplay, negative where the radio was first; null where unknown.',
      }),
    ),
    undergroundToBookingDays: orNull(
      Type.Number({
        description:
          'Days from the first DJ set to the first booking, negative where the booking was first; null where unknown.',
      }),
    ),
  }),
  read(rows) {
    const row = rows.one(artistEmergenceLeadTime);
    if (row === null) return null;
    const {
      press_to_airplay_days: pressToAirplayDays,
      underground_to_booking_days: undergroundToBookingDays,
    } = row;
    if (pressToAirplayDays === null && undergroundToBookingDays === null) return null;
    return { pressToAirplayDays, undergroundToBookingDays };
  },
});
