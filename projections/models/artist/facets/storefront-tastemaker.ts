import { Type } from '@sinclair/typebox';
import { storefrontArtistTastemakerQuality } from '../../../contracts/seen/storefront-artist-tastemaker-quality.ts';
import { orNull } from '../../../engine/values.ts';
import { defineArtistFacet } from '../facet.ts';

export const storefrontTastemaker = defineArtistFacet({
  name: 'storefront_tastemaker',
  sources: [storefrontArtistTastemakerQuality],
  description: 'How early the storefront buyers of the artist usually discover artists.',
  signals: Type.Object({
    supporterCohortSize: Type.Number({ description: 'Buyers of the artist in the cohort.' }),
    aesq: Type.Number({ description: 'Average earliness of those buyers.' }),
    aesqMedian: orNull(Type.Number({ description: 'Median earliness of those buyers; null where unknown.' })),
    aesqRw: orNull(Type.Number({ description: 'Weighted earliness of those buyers; null where unknown.' })),
    meanFirstBuyerEarliness: orNull(
      Type.Number({
        description: 'Average earliness of the first buyers of the artist; null where unknown.',
      }),
    ),
  }),
  read(rows) {
    const row = rows.one(storefrontArtistTastemakerQuality);
    return (
      row && {
        supporterCohortSize: row.supporter_cohort_size,
        aesq: row.aesq,
        aesqMedian: row.aesq_median,
        aesqRw: row.aesq_rw,
        meanFirstBuyerEarliness: row.mean_first_buyer_earliness,
      }
    );
  },
});
