import { Type } from '@sinclair/typebox';
import { storefrontItem } from '../../../contracts/storefront/item.ts';
import { orNull } from '../../../engine/values.ts';
import { artistPath } from '../../shared/links.ts';
import { linkUrl, pageUrl } from '../../shared/web-url.ts';
import { defineArtistFacet } from '../facet.ts';
import { newestStorefrontItems } from '../newest.ts';

const LIMIT = 200;

export const storefrontReleases = defineArtistFacet({
  name: 'storefront_releases',
  sources: [storefrontItem],
  // The catalogue's bind does not cover the storefront: releases belong to the cluster itself.
  lanes: { cluster: [storefrontItem] },
  description: "The artist's storefront releases, newest first, each with the path of its own page.",
  signals: Type.Object({
    count: Type.Number({
      description: 'All releases, including those beyond the list.',
    }),
    items: Type.Array(
      Type.Object(
        {
          storefrontItemId: Type.String({ description: 'Id of the release on the storefront.' }),
          title: Type.String({ description: 'Title of the release.' }),
          releaseDate: orNull(
            Type.String({
              format: 'date-time',
              description:
                'Instant of release, in UTC; may be that of a reissue or a future pre-order; null where unknown.',
            }),
          ),
          albumUrl: orNull(
            Type.String({ description: 'URL of the page of the release; null if it is not a page.' }),
          ),
          artworkUrl: orNull(Type.String({ description: 'URL of the cover; null where there is none.' })),
          priceType: orNull(
            Type.Union([Type.Literal(1), Type.Literal(2)], {
              description: 'Kind of price: 1 free, 2 name-your-price or paid; null where unknown.',
            }),
          ),
          tags: Type.Array(Type.String({ description: 'One tag.' }), {
            description: 'Tags that the seller gave the release.',
          }),
          _links: Type.Object(
            { release: Type.String({ description: 'Path of the page of the release.' }) },
            { description: 'Onward paths.' },
          ),
        },
        { description: 'One release on the storefront.' },
      ),
      { maxItems: LIMIT, description: 'The releases, newest first.' },
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
        albumUrl: pageUrl(item.album_url),
        artworkUrl: linkUrl(item.artwork_url),
        priceType: item.price_type,
        tags: item.tags,
        _links: {
          release: artistPath(item.cluster_id, 'storefront', item.item_id),
        },
      })),
    };
  },
});
