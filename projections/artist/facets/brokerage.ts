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
    effectiveSize: orNull(Type.Number()),
    brokerageScore: orNull(Type.Number()),
    brokerageTier: Type.String(),
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
