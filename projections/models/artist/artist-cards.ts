import { catalogArtist } from '../../contracts/catalog/artist.ts';
import { clusterAliasV1 } from '../../contracts/mirror/cluster-alias-v1.ts';
import { artistIdentityBridge } from '../../contracts/seen/artist-identity-bridge.ts';
import { performingEntity } from '../../contracts/seen/performing-entity.ts';
import { radarOnlyArtistsV1 } from '../../contracts/seen/radar-only-artists-v1.ts';
import { spineArtistNamePublishedView } from '../../contracts/spine/spine-artist-name-published-view.ts';
import { type Read, subjectRef } from '../../engine/projection.ts';
import type { MirrorView } from '../../engine/published/mirror-view.ts';
import type { MirrorRows, SubjectRef } from '../../engine/rows.ts';
import { ArtistRows } from './facet.ts';
import { nameOf } from './facets/identity.ts';
import { artistSubject, boundCluster, clusterSlugs, isBind } from './lanes.ts';

/** The sources of a cluster's name. */
export const namingReads: readonly Read[] = [
  { source: performingEntity, by: ['artist'] },
  { source: spineArtistNamePublishedView, by: ['artist'] },
  { source: clusterAliasV1, by: ['artist'] },
  { source: radarOnlyArtistsV1, by: ['artist'] },
];

const clusterReads: readonly Read[] = [...namingReads, { source: artistIdentityBridge, by: ['artist'] }];
const catalogReads: readonly Read[] = [
  { source: catalogArtist, by: ['catalog-artist'] },
  { source: artistIdentityBridge, by: ['catalog-artist'] },
];

/** Name, slug and ids of an artist for a row of an index. */
export interface ArtistCard {
  readonly clusterId: string;
  readonly name: string;
  /** Null if there is none or if it leads to another artist. */
  readonly slug: string | null;
  /** Null if no catalogue artist is bound to this cluster. */
  readonly catalogArtistId: number | null;
  readonly resolvedVia: 'catalog' | 'cluster';
}

/** Display name of a cluster; its id if no source names it. */
export const clusterName = (cluster: SubjectRef, clusterId: string, rows: MirrorRows): string =>
  nameOf(new ArtistRows(artistSubject(cluster, rows), rows)) ??
  rows.one(radarOnlyArtistsV1, cluster)?.name ??
  clusterId;

/** Cards by cluster id: from the catalogue artist bound to the cluster, else from the booking graph. */
export async function artistCards(
  mirror: Pick<MirrorView, 'readRows' | 'slugOwners'>,
  clusterIds: readonly string[],
): Promise<ReadonlyMap<string, ArtistCard>> {
  const refs = clusterIds.map((id) => subjectRef('artist', id));
  const rows = await mirror.readRows(clusterReads, refs);
  const catalog = await mirror.readRows(
    catalogReads,
    refs.flatMap((ref) => bindOf(ref, rows) ?? []),
  );
  const cards = clusterIds.map((id) => cardOf(id, rows, catalog));
  const owners = await mirror.slugOwners(cards.flatMap(({ slug }) => slug ?? []));
  return new Map(cards.map((card) => [card.clusterId, { ...card, slug: ownSlug(card, owners) }]));
}

function cardOf(clusterId: string, rows: MirrorRows, catalog: MirrorRows): ArtistCard {
  const cluster = subjectRef('artist', clusterId);
  const bound = bindOf(cluster, rows);
  const artist = catalog.one(catalogArtist, bound);
  if (bound !== null && artist !== null && boundCluster(catalog, bound) === clusterId) {
    const { name, slug, catalog_artist_id } = artist;
    return {
      clusterId,
      name,
      slug: slug.toLowerCase(),
      catalogArtistId: catalog_artist_id,
      resolvedVia: 'catalog',
    };
  }
  return {
    clusterId,
    name: clusterName(cluster, clusterId, rows),
    slug: clusterSlugs(rows, cluster)[0]?.slug ?? null,
    catalogArtistId: null,
    resolvedVia: 'cluster',
  };
}

function bindOf(cluster: SubjectRef, rows: MirrorRows): SubjectRef | null {
  const bridge = rows.one(artistIdentityBridge, cluster);
  if (bridge === null || bridge.catalog_artist_id === null || !isBind(bridge)) return null;
  return subjectRef('catalog-artist', bridge.catalog_artist_id);
}

function ownSlug(
  { clusterId, slug, catalogArtistId }: ArtistCard,
  owners: ReadonlyMap<string, string>,
): string | null {
  const own = [
    subjectRef('artist', clusterId),
    ...(catalogArtistId === null ? [] : [subjectRef('catalog-artist', catalogArtistId)]),
  ];
  const owner = owners.get(slug ?? '');
  return owner !== undefined && own.some((ref) => ref === owner) ? slug : null;
}
