import { type Static, Type } from '@sinclair/typebox';
import { splitRef, subjectRef } from '../projection.ts';
import type { MirrorRows, SubjectRef } from '../rows.ts';
import { catalogArtist } from '../sources/catalog/artist.ts';
import { catalogArtistBehavior } from '../sources/catalog/artist-behavior.ts';
import type { Row } from '../sources/contract.ts';
import { artistIdentityBridge } from '../sources/seen/artist-identity-bridge.ts';
import { artistMomentum } from '../sources/seen/artist-momentum.ts';
import { orNull } from '../values.ts';

/** Fewer owners than this could be told apart. */
const OWNERS_FLOOR = 5;

/** An artist as a list shows it. */
export const BrowseItem = Type.Object({
  display: Type.String(),
  slug: Type.String(),
  catalog_artist_id: Type.Integer(),
  cluster_id: orNull(
    Type.String({ description: 'For GET /api/v2/artist/{key}; null where no cluster is bound for certain.' }),
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

/** An artist as it is listed. */
export interface Listed {
  readonly item: BrowseItem;
  readonly momentum: Row<typeof artistMomentum> | null;
}

/** Null where the catalogue has no such artist. */
export function listArtist(key: SubjectRef, rows: MirrorRows): Listed | null {
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

/**
 * The cluster whose bridge names this artist exactly, and no other one: of several the surest, then that of the least id.
 */
export function certainCluster(rows: MirrorRows, catalogRef: SubjectRef): string | null {
  const bridges = rows
    .all(artistIdentityBridge, catalogRef)
    .filter(({ is_exact, catalog_artist_id_count: count }) => is_exact && count === 1)
    .sort((a, b) => b.confidence - a.confidence || (a.cluster_id < b.cluster_id ? -1 : 1));
  return bridges[0]?.cluster_id ?? null;
}
