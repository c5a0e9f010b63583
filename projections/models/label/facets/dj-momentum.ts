import { Type } from '@sinclair/typebox';
import type { Row } from '../../../contracts/contract.ts';
import { labelDjsetMomentum } from '../../../contracts/seen/label-djset-momentum.ts';
import { defineFacet } from '../../../engine/facet.ts';
import { orNull } from '../../../engine/values.ts';
import type { LabelRows } from '../lanes.ts';

export const djMomentum = defineFacet({
  name: 'dj_momentum',
  sources: [labelDjsetMomentum],
  // A label without plays is unobserved in DJ sets, which is not zero.
  usable: (rows) => (playsOf(rows) === null ? [] : [labelDjsetMomentum]),
  description: "Plays of the label's records in DJ sets.",
  signals: Type.Object({
    playCount: Type.Number({ description: 'Plays of records of the label in DJ sets.' }),
    distinctDjs: Type.Number({ description: 'DJs who played records of the label.' }),
    distinctArtists: Type.Number({ description: 'Artists of the label whom DJ sets played.' }),
    distinctTracklists: Type.Number({ description: 'Tracklists with records of the label.' }),
    firstPlayedAt: orNull(
      Type.String({ format: 'date', description: 'Day of the earliest play; null where none is dated.' }),
    ),
    lastPlayedAt: orNull(
      Type.String({ format: 'date', description: 'Day of the latest play; null where none is dated.' }),
    ),
    playsLast365d: Type.Number({ description: 'Plays in DJ sets in the last 365 days.' }),
    velocity: orNull(
      Type.Number({ minimum: 0, maximum: 1, description: 'Share of all plays that the last 365 days have.' }),
    ),
  }),
  read(rows: LabelRows) {
    const row = playsOf(rows);
    return (
      row && {
        playCount: row.play_count,
        distinctDjs: row.distinct_djs,
        distinctArtists: row.distinct_artists,
        distinctTracklists: row.distinct_tracklists,
        firstPlayedAt: row.first_played_at,
        lastPlayedAt: row.last_played_at,
        playsLast365d: row.plays_last_365d,
        velocity: velocityOf(row.plays_last_365d, row.play_count),
      }
    );
  },
});

function playsOf(rows: LabelRows): Row<typeof labelDjsetMomentum> | null {
  const row = rows.one(labelDjsetMomentum);
  return row === null || row.play_count === 0 ? null : row;
}

/** A share; null without plays. Clamped, because the producer may recount the last year before the total. */
export const velocityOf = (lastYear: number, all: number): number | null =>
  all <= 0 ? null : Math.min(1, Math.max(0, lastYear / all));
