import { Type } from '@sinclair/typebox';
import { mbReleaseGroup } from '../../../contracts/mb/release-group.ts';
import { storefrontItem } from '../../../contracts/storefront/item.ts';
import { ascending, descending, sorted } from '../../../engine/order.ts';
import { ArtworkItem, archivedCover, storefrontCover } from '../../shared/artwork.ts';
import { linkUrl } from '../../shared/web-url.ts';
import { type ArtistRows, defineArtistFacet } from '../facet.ts';
import { newestStorefrontItems } from '../newest.ts';

const LIMIT = 24;

export const artwork = defineArtistFacet({
  name: 'artwork',
  sources: [storefrontItem, mbReleaseGroup],
  description: 'Links to cover images on other sites; a link may be dead.',
  signals: Type.Object({
    items: Type.Array(ArtworkItem, {
      maxItems: LIMIT,
      description: 'The images, those of the storefront before those of the cover archive, the newest first.',
    }),
  }),
  read(rows) {
    const items = [...storefrontCovers(rows), ...archivedCovers(rows)];
    return items.length === 0 ? null : { items: items.slice(0, LIMIT) };
  },
});

/** The newest cover also represents the artist. */
const storefrontCovers = (rows: ArtistRows): ArtworkItem[] =>
  newestStorefrontItems(rows)
    .flatMap((item) => linkUrl(item.artwork_url) ?? [])
    .map((url, index) => storefrontCover(url, index === 0 ? 'artist' : 'release'));

const archivedCovers = (rows: ArtistRows): ArtworkItem[] =>
  sorted(
    rows.all(mbReleaseGroup),
    descending((group) => group.first_release_date),
    ascending((group) => group.rg_mbid),
  ).map((group) => archivedCover(group.rg_mbid));
