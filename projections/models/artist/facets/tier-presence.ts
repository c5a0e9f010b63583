import { Type } from '@sinclair/typebox';
import { artistTierPresence } from '../../../contracts/seen/artist-tier-presence.ts';
import { orNull } from '../../../engine/values.ts';
import { defineArtistFacet } from '../facet.ts';

const day = (description: string) => orNull(Type.String({ format: 'date', description }));

export const tierPresence = defineArtistFacet({
  name: 'tier_presence',
  sources: [artistTierPresence],
  description: 'Whether the artist plays clubs, festivals or both, how often and since when.',
  signals: Type.Object({
    spansTiers: Type.Boolean({ description: 'Whether the artist plays both clubs and festivals.' }),
    playsClubs: Type.Boolean({ description: 'Whether the artist plays clubs.' }),
    playsFestivals: Type.Boolean({ description: 'Whether the artist plays festivals.' }),
    clubEvents: Type.Number({ description: 'Events played at clubs.' }),
    festivalEditions: Type.Number({ description: 'Festival editions played.' }),
    firstClubAt: day('Day of the earliest event at a club; null where none is dated.'),
    lastClubAt: day('Day of the latest event at a club; null where none is dated.'),
    firstFestivalAt: day('Day of the earliest festival; null where none is dated.'),
    lastFestivalAt: day('Day of the latest festival; null where none is dated.'),
  }),
  read(rows) {
    const row = rows.one(artistTierPresence);
    return (
      row && {
        spansTiers: row.spans_tiers,
        playsClubs: row.plays_clubs,
        playsFestivals: row.plays_festivals,
        clubEvents: row.club_events,
        festivalEditions: row.festival_editions,
        firstClubAt: row.first_club_at,
        lastClubAt: row.last_club_at,
        firstFestivalAt: row.first_festival_at,
        lastFestivalAt: row.last_festival_at,
      }
    );
  },
});
