import { Type } from '@sinclair/typebox';
import { artistMomentum } from '../../../contracts/seen/artist-momentum.ts';
import { festivalEdition } from '../../../contracts/seen/festival-edition.ts';
import { festivalLineup } from '../../../contracts/seen/festival-lineup.ts';
import { defineFacet, fromSource } from '../../../engine/facet.ts';
import { orNull } from '../../../engine/values.ts';
import type { FestivalRows } from '../festival-rows.ts';

export const lineupSignals = defineFacet({
  name: 'lineup_signals',
  sources: [festivalLineup, festivalEdition, artistMomentum],
  decidedBy: [festivalLineup],
  description: 'How many artists return to the festival, and how many of them emerge.',
  signals: Type.Object({
    distinctArtists: Type.Integer({ minimum: 1, description: 'Artists in any line-up.' }),
    returningArtists: Type.Integer({ description: 'Artists in the line-ups of two years or more.' }),
    returningRatio: Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'Share of all artists that returned, 0 to 1.',
    }),
    emergingArtists: fromSource(
      artistMomentum,
      orNull(
        Type.Integer({
          description:
            'Artists of emergence tier breakout or rising now; null until momentum has been delivered.',
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
      // Zero would be wrong before any momentum has been delivered.
      emergingArtists: rows.hasDelivered(artistMomentum) ? countEmerging(rows, years.keys()) : null,
    };
  },
});

/** The years in which each artist was booked, without line-ups of unknown editions. */
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
