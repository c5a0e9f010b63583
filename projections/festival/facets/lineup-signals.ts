import { Type } from '@sinclair/typebox';
import { defineFacet, fedBy } from '../../facet.ts';
import { artistMomentum } from '../../sources/seen/artist-momentum.ts';
import { festivalEdition } from '../../sources/seen/festival-edition.ts';
import { festivalLineup } from '../../sources/seen/festival-lineup.ts';
import { orNull } from '../../values.ts';
import type { FestivalRows } from '../festival-rows.ts';

export const lineupSignals = defineFacet({
  name: 'lineup_signals',
  sources: [festivalLineup, artistMomentum],
  decidedBy: () => [festivalLineup],
  description: 'How faithful the festival is to its artists, and how many of them are on their way up.',
  signals: Type.Object({
    distinctArtists: Type.Integer({ minimum: 1, description: 'Artists in any line-up.' }),
    returningArtists: Type.Integer({ description: 'Artists in the line-ups of two years or more.' }),
    returningRatio: Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'Share of all artists that returned, 0 to 1.',
    }),
    emergingArtists: fedBy(
      artistMomentum,
      orNull(
        Type.Integer({
          description:
            'Artists of emergence tier breakout or rising now; null as long as nobody told of momentum.',
        }),
      ),
    ),
  }),
  read(rows: FestivalRows) {
    const years = yearsOfArtists(rows);
    if (years.size === 0) return null;
    const returningArtists = [...years.values()].filter(({ size }) => size > 1).length;
    return {
      distinctArtists: years.size,
      returningArtists,
      returningRatio: returningArtists / years.size,
      // As long as nobody has told of momentum, a zero would be a claim.
      emergingArtists: rows.hasDelivered(artistMomentum) ? countEmerging(rows, years.keys()) : null,
    };
  },
});

/** The years in which each artist was booked; a line-up of an edition that is not on file has none. */
function yearsOfArtists(rows: FestivalRows): ReadonlyMap<string, ReadonlySet<number>> {
  const yearOf = new Map(rows.all(festivalEdition).map(({ edition_id, year }) => [edition_id, year]));
  const years = new Map<string, Set<number>>();
  for (const { artist_cluster_id: artist, edition_id } of rows.all(festivalLineup)) {
    const year = yearOf.get(edition_id);
    if (year === undefined) continue;
    years.set(artist, (years.get(artist) ?? new Set()).add(year));
  }
  return years;
}

function countEmerging(rows: FestivalRows, artists: Iterable<string>): number {
  let count = 0;
  for (const artist of artists) {
    const tier = rows.emergenceTier(artist);
    if (tier === 'breakout' || tier === 'rising') count++;
  }
  return count;
}
