import { Type } from '@sinclair/typebox';
import { storefrontArtistTastemakerQuality } from '../../sources/seen/storefront-artist-tastemaker-quality.ts';
import { orNull } from '../../values.ts';
import { defineArtistFacet } from '../facet.ts';

export const storefrontTastemaker = defineArtistFacet({
  name: 'storefront_tastemaker',
  sources: [storefrontArtistTastemakerQuality],
  description: 'How early the storefront buyers of the artist tend to be with artists in general.',
  signals: Type.Object({
    supporterCohortSize: Type.Number({ description: 'Buyers of the artist who were looked at.' }),
    aesq: Type.Number({ description: 'How early those buyers tend to be with artists, on average.' }),
    aesqMedian: orNull(
      Type.Number({ description: 'How early the middle one of those buyers is; null where unknown.' }),
    ),
    aesqRw: orNull(Type.Number({ description: 'How early those buyers are, weighted; null where unknown.' })),
    meanFirstBuyerEarliness: orNull(
      Type.Number({
        description: 'How early the first buyers of the artist tend to be; null where unknown.',
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
