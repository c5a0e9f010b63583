import { Type } from '@sinclair/typebox';
import { artistDatedAppearance } from '../../../contracts/seen/artist-dated-appearance.ts';
import { ascending, sorted } from '../../../engine/order.ts';
import { orNull } from '../../../engine/values.ts';
import { defineArtistFacet } from '../facet.ts';

export const datedAppearance = defineArtistFacet({
  name: 'dated_appearance',
  sources: [artistDatedAppearance],
  description: 'When each kind of source first and last saw the artist.',
  signals: Type.Object({
    count: Type.Number({ description: 'Kinds of source.' }),
    sources: Type.Array(
      Type.Object(
        {
          sourceKind: Type.String({ description: 'Kind of source, such as airplay, press or club.' }),
          firstAppearanceDate: orNull(
            Type.String({
              format: 'date',
              description: 'Day the kind first saw the artist; null where unknown.',
            }),
          ),
          latestAppearanceDate: orNull(
            Type.String({
              format: 'date',
              description: 'Day the kind last saw the artist; null where unknown.',
            }),
          ),
          appearanceCount: Type.Number({ description: 'Times the kind saw the artist.' }),
        },
        { description: 'One kind of source.' },
      ),
      { description: 'The kinds of source that saw the artist, by name.' },
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
