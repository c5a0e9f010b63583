import { Type } from '@sinclair/typebox';
import { artistAirplayFirstAppearance } from '../../../contracts/seen/artist-airplay-first-appearance.ts';
import { orNull } from '../../../engine/values.ts';
import { defineArtistFacet } from '../facet.ts';

export const airplayBreadth = defineArtistFacet({
  name: 'airplay_breadth',
  sources: [artistAirplayFirstAppearance],
  description: 'How often, how widely and since when the radio plays the artist.',
  signals: Type.Object({
    firstAirplayDate: orNull(
      Type.String({ format: 'date', description: 'Day of the earliest play; null where no play is dated.' }),
    ),
    latestAirplayDate: orNull(
      Type.String({ format: 'date', description: 'Day of the latest play; null where no play is dated.' }),
    ),
    airplayCount: Type.Number({ description: 'Plays on the radio.' }),
    distinctStations: Type.Number({ description: 'Stations that played the artist.' }),
    distinctVenues: Type.Number({ description: 'Programmes and other venues among the plays.' }),
    distinctDjs: Type.Number({ description: 'DJs and presenters who played the artist.' }),
  }),
  read(rows) {
    const row = rows.one(artistAirplayFirstAppearance);
    return (
      row && {
        firstAirplayDate: row.first_airplay_date,
        latestAirplayDate: row.latest_airplay_date,
        airplayCount: row.airplay_count,
        distinctStations: row.distinct_stations,
        distinctVenues: row.distinct_venues,
        distinctDjs: row.distinct_djs,
      }
    );
  },
});
