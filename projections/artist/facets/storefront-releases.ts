import { Type } from '@sinclair/typebox';
import { artistPath } from '../../links.ts';
import { storefrontItem } from '../../sources/storefront/item.ts';
import { orNull } from '../../values.ts';
import { defineArtistFacet } from '../facet.ts';
import { newestStorefrontItems } from '../newest.ts';

const LIMIT = 200;

export const storefrontReleases = defineArtistFacet({
  name: 'storefront_releases',
  sources: [storefrontItem],
  // A catalogue artist's bind is not the shop's: its releases are read under the cluster itself.
  decidedBy: { cluster: [storefrontItem] },
  description: "The artist's storefront releases, newest first, each with the path of its own page.",
  signals: Type.Object({
    count: Type.Number({
      description: 'All releases on file, also those beyond the list.',
    }),
    items: Type.Array(
      Type.Object({
        storefrontItemId: Type.String(),
        title: Type.String(),
        releaseDate: orNull(
          Type.String({
            format: 'date-time',
            description: 'May be of a reissue, or of a pre-order to come.',
          }),
        ),
        albumUrl: Type.String(),
        artworkUrl: orNull(Type.String()),
        priceType: orNull(
          Type.Union([Type.Literal(1), Type.Literal(2)], {
            description: '1 free, 2 name-your-price or paid.',
          }),
        ),
        tags: Type.Array(Type.String()),
        _links: Type.Object({ release: Type.String() }),
      }),
      { maxItems: LIMIT },
    ),
  }),
  read(rows) {
    const items = newestStorefrontItems(rows);
    if (items.length === 0) return null;
    return {
      count: items.length,
      items: items.slice(0, LIMIT).map((item) => ({
        storefrontItemId: item.item_id,
        title: item.title,
        releaseDate: item.release_date,
        albumUrl: item.album_url,
        artworkUrl: item.artwork_url,
        priceType: item.price_type,
        tags: item.tags,
        _links: {
          release: artistPath(item.cluster_id, 'storefront', item.item_id),
        },
      })),
    };
  },
});
