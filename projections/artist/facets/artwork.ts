import { Type } from '@sinclair/typebox';
import { ArtworkItem, archivedCover, storefrontCover } from '../../artwork.ts';
import { ascending, descending, sorted } from '../../order.ts';
import { mbReleaseGroup } from '../../sources/mb/release-group.ts';
import { storefrontItem } from '../../sources/storefront/item.ts';
import { webAddress } from '../../web-address.ts';
import { type ArtistRows, defineArtistFacet } from '../facet.ts';
import { newestStorefrontItems } from '../newest.ts';

const LIMIT = 24;

export const artwork = defineArtistFacet({
  name: 'artwork',
  sources: [storefrontItem, mbReleaseGroup],
  description: 'Links to cover images elsewhere; a link may be dead.',
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

/** The newest cover stands for the artist too. */
const storefrontCovers = (rows: ArtistRows): ArtworkItem[] =>
  newestStorefrontItems(rows)
    .flatMap((item) => webAddress(item.artwork_url) ?? [])
    .map((url, index) => storefrontCover(url, index === 0 ? 'artist' : 'release'));

const archivedCovers = (rows: ArtistRows): ArtworkItem[] =>
  sorted(
    rows.all(mbReleaseGroup),
    descending((group) => group.first_release_date),
    ascending((group) => group.rg_mbid),
  ).map((group) => archivedCover(group.rg_mbid));
