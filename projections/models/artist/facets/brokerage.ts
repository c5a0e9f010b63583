import { Type } from '@sinclair/typebox';
import { artistBrokerage } from '../../../contracts/seen/artist-brokerage.ts';
import { orNull } from '../../../engine/values.ts';
import { defineArtistFacet } from '../facet.ts';

export const brokerage = defineArtistFacet({
  name: 'brokerage',
  sources: [artistBrokerage],
  description: 'How far the artist connects otherwise separate scenes.',
  signals: Type.Object({
    degree: Type.Number({ description: 'Artists met at events.' }),
    effectiveSize: orNull(
      Type.Number({
        description: 'Number of artists met without ties to each other; null where unknown.',
      }),
    ),
    brokerageScore: orNull(
      Type.Number({
        description: 'How far the artist connects scenes, higher is further; null where unknown.',
      }),
    ),
    brokerageTier: Type.String({ description: 'Class of the artist by brokerage.' }),
  }),
  read(rows) {
    const row = rows.one(artistBrokerage);
    return (
      row && {
        degree: row.degree,
        effectiveSize: row.effective_size,
        brokerageScore: row.brokerage_score,
        brokerageTier: row.brokerage_tier,
      }
    );
  },
});
