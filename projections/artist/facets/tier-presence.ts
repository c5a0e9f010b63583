import { Type } from '@sinclair/typebox';
import { artistTierPresence } from '../../sources/seen/artist-tier-presence.ts';
import { orNull } from '../../values.ts';
import { defineArtistFacet } from '../facet.ts';

const Day = orNull(Type.String({ format: 'date' }));

export const tierPresence = defineArtistFacet({
  name: 'tier_presence',
  sources: [artistTierPresence],
  description: 'Whether the artist plays clubs, festivals or both, how often and since when.',
  signals: Type.Object({
    spansTiers: Type.Boolean({ description: 'Both clubs and festivals.' }),
    playsClubs: Type.Boolean(),
    playsFestivals: Type.Boolean(),
    clubEvents: Type.Number(),
    festivalEditions: Type.Number(),
    firstClubAt: Day,
    lastClubAt: Day,
    firstFestivalAt: Day,
    lastFestivalAt: Day,
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
