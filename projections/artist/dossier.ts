import { CONTRACT_VERSION } from '../contract-version.ts';
import { subjectRef } from '../projection.ts';
import type { ProvenanceEntry } from '../provenance.ts';
import { MirrorRows } from '../rows.ts';
import { catalogArtist } from '../sources/catalog/artist.ts';
import { ArtistRows, type ArtistSubject, type Lane } from './facet.ts';
import { facets } from './facets/index.ts';
import { clusterSlugs } from './lanes.ts';

/** An artist dossier before it is written out; `generated_at` joins it when it is served. */
export interface ArtistDossier {
  readonly envelope: {
    readonly contract_version: string;
    readonly grain: 'artist';
    readonly slug: string;
    readonly display: string;
    readonly id: number | null;
    readonly cluster_id: string | null;
    readonly resolved_via: Lane | null;
    readonly _links: Readonly<Record<string, string>>;
  };
  readonly facets: Readonly<Record<string, unknown>>;
  readonly provenance: readonly ProvenanceEntry[];
}

export function buildArtist(subject: ArtistSubject, rows: MirrorRows): ArtistDossier {
  const artistRows = new ArtistRows(subject, rows);
  const values: Record<string, unknown> = {};
  const provenance: ProvenanceEntry[] = [];
  for (const facet of facets) {
    const { state, value } = facet.build(artistRows);
    values[facet.name] = value;
    for (const source of facet.sources) {
      provenance.push({
        source,
        state,
        refreshedAt: artistRows.changedAt(source),
      });
    }
  }
  const slug = slugOf(subject, rows);
  const identity = values.identity as { name: string } | null;
  return {
    envelope: {
      contract_version: CONTRACT_VERSION,
      grain: 'artist',
      slug,
      display: identity?.name ?? slug,
      id: subject.catalogArtistId,
      cluster_id: subject.clusterId,
      resolved_via: subject.lane,
      _links: linksOf(subject),
    },
    facets: values,
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

const NOTHING = new MirrorRows(new Map(), new Set());

/**
 * The answer for a key that no source has named: no identity, every facet an honest gap.
 *
 * @param key the asked key: a cluster id in the cluster lane, else a slug
 */
export function unresolvedArtist(key: string, isCluster: boolean): ArtistDossier {
  const dossier = buildArtist(
    {
      lane: 'cluster',
      catalogArtistId: null,
      clusterId: isCluster ? key : null,
      key,
    },
    NOTHING,
  );
  const resolvedVia = isCluster ? 'cluster' : null;
  return {
    ...dossier,
    envelope: { ...dossier.envelope, resolved_via: resolvedVia },
  };
}
