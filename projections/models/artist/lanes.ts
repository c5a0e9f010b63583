import { catalogArtist } from '../../contracts/catalog/artist.ts';
import { catalogMaster } from '../../contracts/catalog/master.ts';
import type { Row } from '../../contracts/contract.ts';
import { artistIdentityBridge } from '../../contracts/seen/artist-identity-bridge.ts';
import { performingEntity } from '../../contracts/seen/performing-entity.ts';
import { spineArtistNamePublishedView } from '../../contracts/spine/spine-artist-name-published-view.ts';
import { splitRef, subjectRef } from '../../engine/projection.ts';
import type { MirrorRows, SubjectRef } from '../../engine/rows.ts';
import type { ArtistSubject } from './facet.ts';

type Bridge = Row<typeof artistIdentityBridge>;

/**
 * Whether the bridge binds its cluster to one catalogue artist. A cluster with several catalogue ids is an over-merge: no
 * catalogue row may be anchored to it.
 */
export const isBind = (bridge: Bridge): boolean =>
  bridge.catalog_artist_id !== null && bridge.catalog_artist_id_count <= 1;

/** Whether the bridge binds its cluster to one catalogue artist for certain. */
export const isAuthoritative = (bridge: Bridge): boolean =>
  bridge.catalog_artist_id !== null && bridge.catalog_artist_id_count === 1 && bridge.is_exact;

/** The catalogue artist that a cluster is bound to authoritatively; null for none. */
export function authoritativeRef(rows: MirrorRows, clusterRef: SubjectRef | null): SubjectRef | null {
  const bridge = rows.one(artistIdentityBridge, clusterRef);
  if (bridge === null || bridge.catalog_artist_id === null || !isAuthoritative(bridge)) return null;
  return subjectRef('catalog-artist', bridge.catalog_artist_id);
}

/** The clusters that are bound to a catalogue artist authoritatively. */
export const boundClusters = (rows: MirrorRows, catalogRef: SubjectRef): SubjectRef[] =>
  rows
    .all(artistIdentityBridge, catalogRef)
    .filter(isAuthoritative)
    .map((bridge) => subjectRef('artist', bridge.cluster_id));

/**
 * The slug of the catalogue artist that a cluster is bound to authoritatively; null for none.
 *
 * @param rows the bridge of the cluster @param catalog the catalogue's row of the artist
 */
export function catalogSlug(clusterId: string, rows: MirrorRows, catalog: MirrorRows): string | null {
  const artist = catalog.one(catalogArtist, authoritativeRef(rows, subjectRef('artist', clusterId)));
  return artist?.slug.toLowerCase() ?? null;
}

/** Whether several catalogue artists folded into the cluster, so it represents none of them alone. */
export const isOverMerge = (bridge: Bridge | null): boolean =>
  bridge !== null && bridge.catalog_artist_id_count > 1;

/** The cluster of a catalogue artist; if several, the exact bind, then highest confidence, then lowest id. */
export function boundCluster(rows: MirrorRows, catalogRef: SubjectRef): string | null {
  const binds = rows.all(artistIdentityBridge, catalogRef).filter(isBind);
  binds.sort(
    (a, b) =>
      Number(b.is_exact) - Number(a.is_exact) ||
      b.confidence - a.confidence ||
      (a.cluster_id < b.cluster_id ? -1 : 1),
  );
  return binds[0]?.cluster_id ?? null;
}

/** The subject of a document. @param rows of `key` and, for a catalogue artist, its bridge */
export function artistSubject(key: SubjectRef, rows: MirrorRows): ArtistSubject {
  const { kind, value } = splitRef(key);
  if (kind === 'catalog-artist') {
    const slug = rows.one(catalogArtist, key)?.slug.toLowerCase();
    return {
      lane: 'catalog',
      catalogArtistId: Number(value),
      clusterId: boundCluster(rows, key),
      key: slug ?? value,
    };
  }
  return {
    lane: 'cluster',
    catalogArtistId: null,
    clusterId: value,
    key: value,
  };
}

/** A slug, with its precedence over equal slugs. */
interface SlugCandidate {
  readonly slug: string;
  readonly rank: number;
  readonly support: number;
}

/** The slugs of a cluster, best first; the booking graph's comes before the published one. */
export function clusterSlugs(rows: MirrorRows, clusterRef: SubjectRef): SlugCandidate[] {
  const performing = rows.one(performingEntity, clusterRef);
  const published = rows.one(spineArtistNamePublishedView, clusterRef);
  return [
    ...(performing
      ? [{ slug: performing.slug.toLowerCase(), rank: 1, support: performing.distinct_events }]
      : []),
    ...(published ? [{ slug: published.slug.toLowerCase(), rank: 2, support: 0 }] : []),
  ];
}

/** The catalogue artists whose release groups are filed under this cluster by name. */
export const namedCatalogRefs = (rows: MirrorRows, clusterRef: SubjectRef): SubjectRef[] => {
  const ids = rows.all(catalogMaster, clusterRef).flatMap((master) => master.catalog_artist_ids);
  return [...new Set(ids)].map((id) => subjectRef('catalog-artist', id));
};

/** The catalogue artists whose documents include this cluster's rows. */
export function boundCatalogRefs(rows: MirrorRows, clusterRef: SubjectRef): SubjectRef[] {
  return rows
    .all(artistIdentityBridge, clusterRef)
    .flatMap((bridge) =>
      bridge.catalog_artist_id === null ? [] : [subjectRef('catalog-artist', bridge.catalog_artist_id)],
    );
}
