import { Type } from '@sinclair/typebox';
import { artistBrokerage } from '../../sources/seen/artist-brokerage.ts';
import { orNull } from '../../values.ts';
import { defineArtistFacet } from '../facet.ts';

export const brokerage = defineArtistFacet({
  name: 'brokerage',
  sources: [artistBrokerage],
  description: 'How far the artist joins scenes that would not meet otherwise.',
  signals: Type.Object({
    degree: Type.Number({ description: 'Artists met at events.' }),
    effectiveSize: orNull(
      Type.Number({
        description: 'How many of the artists met are not tied to one another; null where unknown.',
      }),
    ),
    brokerageScore: orNull(
      Type.Number({
        description: 'How far the artist joins scenes, more being further; null where unknown.',
      }),
    ),
    brokerageTier: Type.String({ description: 'Class of the artist by how far it joins scenes.' }),
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
