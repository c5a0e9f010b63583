import { Type } from '@sinclair/typebox';
import { artistDatedAppearance } from '../../sources/seen/artist-dated-appearance.ts';
import { defineFacet } from '../facet.ts';
import { ascending, sorted } from '../order.ts';
import { orNull } from '../values.ts';

export const datedAppearance = defineFacet({
  name: 'dated_appearance',
  sources: [artistDatedAppearance],
  description: 'When each kind of source first and last saw the artist.',
  signals: Type.Object({
    count: Type.Number({ description: 'Kinds of source.' }),
    sources: Type.Array(
      Type.Object({
        sourceKind: Type.String(),
        firstAppearanceDate: orNull(Type.String({ format: 'date' })),
        latestAppearanceDate: orNull(Type.String({ format: 'date' })),
        appearanceCount: Type.Number(),
      }),
    ),
  }),
  read(rows) {
    const kinds = sorted(
      rows.all(artistDatedAppearance),
      ascending((row) => row.source_kind),
    );
    if (kinds.length === 0) return null;
    return {
      count: kinds.length,
      sources: kinds.map((row) => ({
        sourceKind: row.source_kind,
        firstAppearanceDate: row.first_appearance_date,
        latestAppearanceDate: row.latest_appearance_date,
        appearanceCount: row.appearance_count,
      })),
    };
  },
});
