import { splitRef, subjectRef } from '../projection.ts';
import type { MirrorRows, SubjectRef } from '../rows.ts';
import { catalogArtist } from '../sources/catalog/artist.ts';
import type { Row } from '../sources/contract.ts';
import { artistIdentityBridge } from '../sources/seen/artist-identity-bridge.ts';
import { performingEntity } from '../sources/seen/performing-entity.ts';
import { spineArtistNamePublishedView } from '../sources/spine/spine-artist-name-published-view.ts';
import type { ArtistSubject } from './facet.ts';

type Bridge = Row<typeof artistIdentityBridge>;

/**
 * Whether the bridge binds its cluster to one catalogue artist. A cluster that more than one catalogue id folded
 * into is an over-merge: no catalogue row may be anchored to it as if it were one artist.
 */
export const isBind = (bridge: Bridge): boolean =>
  bridge.catalog_artist_id !== null && bridge.catalog_artist_id_count <= 1;

/** The cluster of a catalogue artist: of several, the exact bind, then the surest, then the least id. */
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

/** Whom the document of `key` is about; `rows` holds the rows of `key` and, for a catalogue artist, its bridge. */
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

/** A slug, and its claim to it against others of the same slug. */
interface SlugClaim {
  readonly slug: string;
  readonly rank: number;
  readonly support: number;
}

/** The slugs of a cluster, best first; the booking graph's comes before the published one. */
export function clusterSlugs(rows: MirrorRows, clusterRef: SubjectRef): SlugClaim[] {
  const performing = rows.one(performingEntity, clusterRef);
  const published = rows.one(spineArtistNamePublishedView, clusterRef);
  const claims: SlugClaim[] = [];
  if (performing)
    claims.push({
      slug: performing.slug.toLowerCase(),
      rank: 1,
      support: performing.distinct_events,
    });
  if (published) claims.push({ slug: published.slug.toLowerCase(), rank: 2, support: 0 });
  return claims;
}

/** The catalogue artists whose documents hold this cluster's rows. */
export function boundCatalogRefs(rows: MirrorRows, clusterRef: SubjectRef): SubjectRef[] {
  return rows
    .all(artistIdentityBridge, clusterRef)
    .flatMap((bridge) =>
      bridge.catalog_artist_id === null ? [] : [subjectRef('catalog-artist', bridge.catalog_artist_id)],
    );
}
