import { type Static, Type } from '@sinclair/typebox';
import { hosts } from '../config.ts';

/** The storefront renders every cover as a square of this many pixels. */
const STOREFRONT_SIZE = 700;

/** A hotlink: images are never fetched or stored. */
export const ArtworkItem = Type.Object(
  {
    url: Type.String({ description: 'URL of the image, which may be dead.' }),
    source: Type.Union([Type.Literal('storefront'), Type.Literal('coverarchive')], {
      description: 'Whose image it is.',
    }),
    grain: Type.Union([Type.Literal('artist'), Type.Literal('release')], {
      description: 'Whether the image represents the artist or a release.',
    }),
    license: Type.String({ description: 'Terms for showing the image.' }),
    rehost: Type.Literal(false, { description: 'Always false: the image is linked, never copied.' }),
    width: Type.Optional(Type.Integer({ description: 'Delivered size in pixels.' })),
    height: Type.Optional(Type.Integer({ description: 'Delivered size in pixels.' })),
  },
  { description: 'One image on another site.' },
);
export type ArtworkItem = Static<typeof ArtworkItem>;

export const storefrontCover = (url: string, grain: ArtworkItem['grain']): ArtworkItem => ({
  url,
  source: 'storefront',
  grain,
  license: 'all-rights-reserved',
  rehost: false,
  width: STOREFRONT_SIZE,
  height: STOREFRONT_SIZE,
});

/** The archive may have no cover of the release group. */
export const archivedCover = (releaseGroupMbid: string): ArtworkItem => ({
  url: `${hosts.coverarchive}/release-group/${releaseGroupMbid}/front-500`,
  source: 'coverarchive',
  grain: 'release',
  license: 'see-source',
  rehost: false,
});
