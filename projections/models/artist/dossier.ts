import { catalogArtist } from '../../contracts/catalog/artist.ts';
import { CONTRACT_VERSION } from '../../engine/contract-version.ts';
import type { Dossier } from '../../engine/dossier.ts';
import { buildFacets } from '../../engine/facet.ts';
import { subjectRef } from '../../engine/projection.ts';
import { type MirrorRows, NO_ROWS } from '../../engine/rows.ts';
import { type ArtistLane, ArtistRows, type ArtistSubject } from './facet.ts';
import { facets } from './facets/index.ts';
import { clusterSlugs } from './lanes.ts';

export function buildArtist(subject: ArtistSubject, rows: MirrorRows, nameBridges: MirrorRows): Dossier {
  return dossierOf(new ArtistRows(subject, rows, nameBridges), subject.lane, rows);
}

function dossierOf(own: ArtistRows, resolvedVia: ArtistLane | null, rows: MirrorRows): Dossier {
  const { subject } = own;
  const { values, provenance } = buildFacets(facets, own);
  const slug = slugOf(subject, rows);
  const identity = values.identity as { name: string } | null;
  return {
    members: {
      contract_version: CONTRACT_VERSION,
      grain: 'artist',
      slug,
      display: identity?.name ?? slug,
      id: subject.catalogArtistId,
      cluster_id: subject.clusterId,
      resolved_via: resolvedVia,
      _links: linksOf(subject),
      ...values,
    },
    provenance,
  };
}

function slugOf(subject: ArtistSubject, rows: MirrorRows): string {
  if (subject.lane === 'catalog') {
    const row = rows.one(catalogArtist, subjectRef('catalog-artist', subject.catalogArtistId ?? ''));
    return row?.slug.toLowerCase() ?? subject.key;
  }
  return clusterSlugs(rows, subjectRef('artist', subject.clusterId ?? ''))[0]?.slug ?? subject.key;
}

function linksOf({ lane, key, clusterId }: ArtistSubject): Record<string, string> {
  const self = `/api/v2/artist/${encodeURIComponent(key)}`;
  return lane === 'catalog' && clusterId !== null
    ? { self, cluster: `/api/v2/artist/${clusterId}` }
    : { self };
}

/**
 * The dossier of an unknown key: no identity, every facet an honest gap.
 *
 * @param key a cluster id in the cluster lane, else a slug
 */
export function unresolvedArtist(key: string, isCluster: boolean): Dossier {
  const clusterId = isCluster ? key : null;
  const subject: ArtistSubject = { lane: 'cluster', catalogArtistId: null, clusterId, key };
  return dossierOf(new ArtistRows(subject, NO_ROWS), isCluster ? 'cluster' : null, NO_ROWS);
}
