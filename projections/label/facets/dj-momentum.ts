import { Type } from '@sinclair/typebox';
import { defineFacet } from '../../facet.ts';
import { labelDjsetMomentum } from '../../sources/seen/label-djset-momentum.ts';
import { orNull } from '../../values.ts';
import type { LabelRows } from '../lanes.ts';

export const djMomentum = defineFacet({
  name: 'dj_momentum',
  sources: [labelDjsetMomentum],
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
    const row = rows.one(labelDjsetMomentum);
    // A label without plays is one that no DJ set tells of, which is no zero.
    if (row === null || row.play_count === 0) return 'honest_gap';
    return {
      playCount: row.play_count,
      distinctDjs: row.distinct_djs,
      distinctArtists: row.distinct_artists,
      distinctTracklists: row.distinct_tracklists,
      firstPlayedAt: row.first_played_at,
      lastPlayedAt: row.last_played_at,
      playsLast365d: row.plays_last_365d,
      velocity: velocityOf(row.plays_last_365d, row.play_count),
    };
  },
});

/** A share; null of no plays. A recount of the year before one of all plays must not make it more than all. */
export const velocityOf = (lastYear: number, all: number): number | null =>
  all <= 0 ? null : Math.min(1, Math.max(0, lastYear / all));
