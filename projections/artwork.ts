import { type Static, Type } from '@sinclair/typebox';
import { hosts } from './hosts.ts';

/** The storefront renders every cover as a square of this many pixels. */
const STOREFRONT_SIZE = 700;

/** A hotlink: no image is ever fetched or kept here. */
export const ArtworkItem = Type.Object({
  url: Type.String(),
  source: Type.Union([Type.Literal('storefront'), Type.Literal('coverarchive')]),
  grain: Type.Union([Type.Literal('artist'), Type.Literal('release')]),
  license: Type.String(),
  rehost: Type.Literal(false),
  width: Type.Optional(Type.Integer({ description: 'Delivered size in pixels.' })),
  height: Type.Optional(Type.Integer({ description: 'Delivered size in pixels.' })),
});
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

/** Best effort: the archive may hold no cover of the release group. */
export const archivedCover = (releaseGroupMbid: string): ArtworkItem => ({
  url: `${hosts.coverarchive}/release-group/${releaseGroupMbid}/front-500`,
  source: 'coverarchive',
  grain: 'release',
  license: 'see-source',
  rehost: false,
});
