import { catalogLabel } from '../../contracts/catalog/label.ts';
import { labelIdentityBridge } from '../../contracts/seen/label-identity-bridge.ts';
import { CONTRACT_VERSION } from '../../engine/contract-version.ts';
import type { Dossier } from '../../engine/dossier.ts';
import { buildFacets } from '../../engine/facet.ts';
import { splitRef, subjectRef } from '../../engine/projection.ts';
import { NO_ROWS, type SubjectRef } from '../../engine/rows.ts';
import { facets } from './facets/index.ts';
import { isOverMerged, type LabelRows, labelName, labelRows } from './lanes.ts';

type ResolvedVia = 'catalog' | 'cluster' | null;

export function buildLabel(key: SubjectRef, rows: LabelRows): Dossier {
  const isCatalog = rows.catalogLabelId !== null && !isOverMerged(rows.one(labelIdentityBridge));
  return dossierOf(rows, isCatalog ? 'catalog' : 'cluster', slugOf(rows) ?? splitRef(key).value);
}

function dossierOf(rows: LabelRows, resolvedVia: ResolvedVia, slug: string): Dossier {
  const { values, provenance } = buildFacets(facets, rows);
  const { identity, binds, presence, ...signals } = values;
  const bridge = rows.one(labelIdentityBridge);
  return {
    members: {
      contract_version: CONTRACT_VERSION,
      grain: 'label',
      slug,
      display: labelName(rows) ?? slug,
      id: rows.catalogLabelId,
      cluster_id: rows.clusterId,
      resolved_via: resolvedVia,
      identity,
      binds,
      presence,
      ...(isOverMerged(bridge)
        ? { over_merge: { catalog_label_id_count: bridge.catalog_label_id_count, folded: true } }
        : {}),
      ...signals,
    },
    provenance,
  };
}

/** The label's own slug, in lower case; null if no source gives one. */
export const slugOf = (rows: LabelRows): string | null =>
  (rows.catalogLabelId === null
    ? rows.one(labelIdentityBridge)
    : rows.one(catalogLabel)
  )?.slug.toLowerCase() ?? null;

/**
 * The dossier of an unknown key: no identity, every facet an honest gap.
 *
 * @param key a label cluster id, else a slug
 */
export function unresolvedLabel(key: string, isCluster: boolean): Dossier {
  const dossier = dossierOf(labelRows(subjectRef('label', key), NO_ROWS), isCluster ? 'cluster' : null, key);
  return isCluster ? dossier : { ...dossier, members: { ...dossier.members, cluster_id: null } };
}
