import { Type } from '@sinclair/typebox';
import { defineFacet } from '../../facet.ts';
import { catalogLabelBehavior } from '../../sources/catalog/label-behavior.ts';
import { Count, count, orNull } from '../../values.ts';
import type { LabelRows } from '../lanes.ts';

export const behavioral = defineFacet({
  name: 'behavioral',
  sources: [catalogLabelBehavior],
  description: 'What collectors do with the label, over which years and in which genres.',
  signals: Type.Object({
    ownerReach: orNull(Count),
    releaseCount: orNull(Type.Number()),
    artistCount: orNull(Type.Number()),
    firstYear: orNull(Type.Number()),
    latestYear: orNull(Type.Number()),
    primaryGenre: orNull(Type.String()),
    primaryStyles: Type.Array(Type.String()),
  }),
  read(rows: LabelRows) {
    const row = rows.one(catalogLabelBehavior);
    return (
      row && {
        ownerReach: count(row.owner_reach),
        releaseCount: row.release_count,
        artistCount: row.artist_count,
        firstYear: row.first_year,
        latestYear: row.latest_year,
        primaryGenre: row.primary_genre,
        primaryStyles: row.primary_styles,
      }
    );
  },
});
