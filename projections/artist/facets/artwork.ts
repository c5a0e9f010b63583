import { type Static, Type } from '@sinclair/typebox';
import { hosts } from '../../hosts.ts';
import { mbReleaseGroup } from '../../sources/mb/release-group.ts';
import { storefrontItem } from '../../sources/storefront/item.ts';
import { type ArtistRows, defineFacet } from '../facet.ts';
import { newestStorefrontItems } from '../newest.ts';
import { ascending, descending, sorted } from '../order.ts';

const LIMIT = 24;
/** The storefront renders every cover as a square of this many pixels. */
const STOREFRONT_SIZE = 700;

/** A hotlink: no image is ever fetched or kept here. */
const ArtworkItem = Type.Object({
  url: Type.String(),
  source: Type.Union([Type.Literal('storefront'), Type.Literal('coverarchive')]),
  grain: Type.Union([Type.Literal('artist'), Type.Literal('release')]),
  license: Type.String(),
  rehost: Type.Literal(false),
  width: Type.Optional(Type.Integer({ description: 'Delivered size in pixels.' })),
  height: Type.Optional(Type.Integer({ description: 'Delivered size in pixels.' })),
});
type ArtworkItem = Static<typeof ArtworkItem>;

export const artwork = defineFacet({
  name: 'artwork',
  sources: [storefrontItem, mbReleaseGroup],
  description: 'Links to cover images elsewhere; a link may be dead.',
  signals: Type.Object({ items: Type.Array(ArtworkItem, { maxItems: LIMIT }) }),
  read(rows) {
    const items = [...storefrontCovers(rows), ...archivedCovers(rows)];
    return items.length === 0 ? null : { items: items.slice(0, LIMIT) };
  },
});

/** The newest cover stands for the artist too. */
const storefrontCovers = (rows: ArtistRows): ArtworkItem[] =>
  newestStorefrontItems(rows)
    .flatMap((item) => item.artwork_url ?? [])
    .map((url, index) => ({
      url,
      source: 'storefront',
      grain: index === 0 ? 'artist' : 'release',
      license: 'all-rights-reserved',
      rehost: false,
      width: STOREFRONT_SIZE,
      height: STOREFRONT_SIZE,
    }));

const archivedCovers = (rows: ArtistRows): ArtworkItem[] =>
  sorted(
    rows.all(mbReleaseGroup),
    descending((group) => group.first_release_date),
    ascending((group) => group.rg_mbid),
  ).map((group) => ({
    url: `${hosts.coverarchive}/release-group/${group.rg_mbid}/front-500`,
    source: 'coverarchive',
    grain: 'release',
    license: 'see-source',
    rehost: false,
  }));
