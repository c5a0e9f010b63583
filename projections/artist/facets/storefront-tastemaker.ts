import { Type } from '@sinclair/typebox';
import { storefrontArtistTastemakerQuality } from '../../sources/seen/storefront-artist-tastemaker-quality.ts';
import { orNull } from '../../values.ts';
import { defineArtistFacet } from '../facet.ts';

export const storefrontTastemaker = defineArtistFacet({
  name: 'storefront_tastemaker',
  sources: [storefrontArtistTastemakerQuality],
  description: 'How early the storefront buyers of the artist tend to be with artists in general.',
  signals: Type.Object({
    supporterCohortSize: Type.Number(),
    aesq: Type.Number(),
    aesqMedian: orNull(Type.Number()),
    aesqRw: orNull(Type.Number()),
    meanFirstBuyerEarliness: orNull(Type.Number()),
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
