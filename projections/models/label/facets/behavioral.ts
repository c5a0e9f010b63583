import { Type } from '@sinclair/typebox';
import { catalogLabelBehavior } from '../../../contracts/catalog/label-behavior.ts';
import { defineFacet } from '../../../engine/facet.ts';
import { Count, count, orNull } from '../../../engine/values.ts';
import type { LabelRows } from '../lanes.ts';

export const behavioral = defineFacet({
  name: 'behavioral',
  sources: [catalogLabelBehavior],
  description: 'What collectors do with the label, over which years and in which genres.',
  signals: Type.Object({
    ownerReach: {
      ...orNull(Count),
      description: 'Collectors who own a release of the label; null where unknown.',
    },
    releaseCount: orNull(Type.Number({ description: 'Releases on the label; null where unknown.' })),
    artistCount: orNull(Type.Number({ description: 'Artists on the label; null where unknown.' })),
    firstYear: orNull(Type.Number({ description: 'Year of the earliest release; null where unknown.' })),
    latestYear: orNull(Type.Number({ description: 'Year of the latest release; null where unknown.' })),
    primaryGenre: orNull(
      Type.String({ description: 'Genre the label is mostly filed under; null where unknown.' }),
    ),
    primaryStyles: Type.Array(Type.String({ description: 'Name of a style.' }), {
      description: 'Styles the label is mostly filed under.',
    }),
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
