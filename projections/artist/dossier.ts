import { CONTRACT_VERSION } from '../contract-version.ts';
import type { Dossier } from '../dossier.ts';
import { buildFacets } from '../facet.ts';
import { subjectRef } from '../projection.ts';
import { type MirrorRows, NO_ROWS } from '../rows.ts';
import { catalogArtist } from '../sources/catalog/artist.ts';
import { ArtistRows, type ArtistSubject, type Lane } from './facet.ts';
import { facets } from './facets/index.ts';
import { clusterSlugs } from './lanes.ts';

export function buildArtist(subject: ArtistSubject, rows: MirrorRows): Dossier {
  return dossierOf(subject, subject.lane, rows);
}

function dossierOf(subject: ArtistSubject, resolvedVia: Lane | null, rows: MirrorRows): Dossier {
  const { values, provenance } = buildFacets(facets, new ArtistRows(subject, rows));
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
 * The answer for a key that no source has named: no identity, every facet an honest gap.
 *
 * @param key the asked key: a cluster id in the cluster lane, else a slug
 */
export function unresolvedArtist(key: string, isCluster: boolean): Dossier {
  const clusterId = isCluster ? key : null;
  const subject: ArtistSubject = { lane: 'cluster', catalogArtistId: null, clusterId, key };
  return dossierOf(subject, isCluster ? 'cluster' : null, NO_ROWS);
}
