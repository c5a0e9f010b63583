import { Type } from '@sinclair/typebox';
import { artistAirplayFirstAppearance } from '../../sources/seen/artist-airplay-first-appearance.ts';
import { orNull } from '../../values.ts';
import { defineArtistFacet } from '../facet.ts';

export const airplayBreadth = defineArtistFacet({
  name: 'airplay_breadth',
  sources: [artistAirplayFirstAppearance],
  description: 'How often, how widely and since when the radio plays the artist.',
  signals: Type.Object({
    firstAirplayDate: orNull(Type.String({ format: 'date' })),
    latestAirplayDate: orNull(Type.String({ format: 'date' })),
    airplayCount: Type.Number(),
    distinctStations: Type.Number(),
    distinctVenues: Type.Number(),
    distinctDjs: Type.Number(),
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
