import { catalogArtist } from '../../contracts/catalog/artist.ts';
import { CONTRACT_VERSION } from '../../engine/contract-version.ts';
import type { Dossier } from '../../engine/dossier.ts';
import { buildFacets } from '../../engine/facet.ts';
import { subjectRef } from '../../engine/projection.ts';
import { type MirrorRows, NO_ROWS } from '../../engine/rows.ts';
import { artistPath } from '../shared/links.ts';
import { type ArtistLane, ArtistRows, type ArtistSubject } from './facet.ts';
import { facets } from './facets/index.ts';
import { catalogSlug, clusterSlugs } from './lanes.ts';

/** @param linked rows of others: the catalogue artist bound to a cluster, the bridges of the clusters of release groups */
export function buildArtist(subject: ArtistSubject, rows: MirrorRows, linked: MirrorRows): Dossier {
  return dossierOf(new ArtistRows(subject, rows, linked), { resolvedVia: subject.lane, rows, linked });
}

interface DossierContext {
  readonly resolvedVia: ArtistLane | null;
  readonly rows: MirrorRows;
  readonly linked: MirrorRows;
}

function dossierOf(own: ArtistRows, { resolvedVia, rows, linked }: DossierContext): Dossier {
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
      _links: linksOf(subject, rows, linked),
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

function linksOf(
  { lane, key, clusterId }: ArtistSubject,
  rows: MirrorRows,
  linked: MirrorRows,
): Record<string, string> {
  const self = artistPath(key);
  if (clusterId === null) return { self };
  if (lane === 'catalog') return { self, cluster: artistPath(clusterId) };
  const catalog = catalogSlug(clusterId, rows, linked);
  return catalog === null ? { self } : { self, catalog: artistPath(catalog) };
}

/**
 * The dossier of an unknown key: no identity, every facet an honest gap.
 *
 * @param key a cluster id in the cluster lane, else a slug
 */
export function unresolvedArtist(key: string, isCluster: boolean): Dossier {
  const clusterId = isCluster ? key : null;
  const subject: ArtistSubject = { lane: 'cluster', catalogArtistId: null, clusterId, key };
  return dossierOf(new ArtistRows(subject, NO_ROWS), {
    resolvedVia: isCluster ? 'cluster' : null,
    rows: NO_ROWS,
    linked: NO_ROWS,
  });
}
