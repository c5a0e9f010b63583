import { type Static, Type } from '@sinclair/typebox';
import { catalogArtist } from '../../contracts/catalog/artist.ts';
import { catalogArtistBehavior } from '../../contracts/catalog/artist-behavior.ts';
import type { Row } from '../../contracts/contract.ts';
import { artistIdentityBridge } from '../../contracts/seen/artist-identity-bridge.ts';
import { artistMomentum } from '../../contracts/seen/artist-momentum.ts';
import { splitRef, subjectRef } from '../../engine/projection.ts';
import type { MirrorRows, SubjectRef } from '../../engine/rows.ts';
import { orNull } from '../../engine/values.ts';

/** Fewer owners could be identified as persons. */
const OWNERS_FLOOR = 5;

/** An artist in a list. */
export const BrowseItem = Type.Object({
  display: Type.String(),
  slug: Type.String(),
  catalog_artist_id: Type.Integer(),
  cluster_id: orNull(
    Type.String({ description: 'For GET /api/v2/artist/{key}; null without an exact bind.' }),
  ),
  primary_genre: orNull(Type.String()),
  primary_styles: Type.Array(Type.String()),
  emergence_tier: orNull(Type.String({ description: 'Null for an artist that is not tracked.' })),
  momentum_tier: orNull(Type.String()),
  owner_reach: orNull(
    Type.Integer({
      description: `Collectors who own the artist; null where unknown or fewer than ${OWNERS_FLOOR}.`,
    }),
  ),
});
export type BrowseItem = Static<typeof BrowseItem>;

/** A list item and what determines its position. */
export interface ListedArtist {
  readonly item: BrowseItem;
  readonly momentum: Row<typeof artistMomentum> | null;
}

/** Null if the catalogue has no such artist. */
export function listArtist(key: SubjectRef, rows: MirrorRows): ListedArtist | null {
  const artist = rows.one(catalogArtist, key);
  if (artist === null) return null;
  const behavior = rows.one(catalogArtistBehavior, key);
  const cluster = certainCluster(rows, key);
  const momentum = cluster === null ? null : rows.one(artistMomentum, subjectRef('artist', cluster));
  return {
    momentum,
    item: {
      display: artist.name,
      slug: artist.slug.toLowerCase(),
      catalog_artist_id: Number(splitRef(key).value),
      cluster_id: cluster,
      primary_genre: behavior?.primary_genre ?? null,
      primary_styles: [...(behavior?.primary_styles ?? [])],
      emergence_tier: momentum?.emergence_tier ?? null,
      momentum_tier: momentum?.momentum_tier ?? null,
      owner_reach: floorOwners(behavior?.owner_reach ?? null),
    },
  };
}

const floorOwners = (owners: number | null): number | null =>
  owners === null || owners < OWNERS_FLOOR ? null : owners;

/** The cluster with an exact bind to this artist and no other; if several, highest confidence, then lowest id. */
export function certainCluster(rows: MirrorRows, catalogRef: SubjectRef): string | null {
  const bridges = rows
    .all(artistIdentityBridge, catalogRef)
    .filter(({ is_exact, catalog_artist_id_count: count }) => is_exact && count === 1)
    .sort((a, b) => b.confidence - a.confidence || (a.cluster_id < b.cluster_id ? -1 : 1));
  return bridges[0]?.cluster_id ?? null;
}
