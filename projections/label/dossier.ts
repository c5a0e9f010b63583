import { CONTRACT_VERSION } from '../contract-version.ts';
import type { Dossier } from '../dossier.ts';
import { buildFacets } from '../facet.ts';
import { splitRef, subjectRef } from '../projection.ts';
import { NO_ROWS, type SubjectRef } from '../rows.ts';
import { catalogLabel } from '../sources/catalog/label.ts';
import { labelIdentityBridge } from '../sources/seen/label-identity-bridge.ts';
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

/** The label's own slug, in lower case; null where no source gives one. */
export const slugOf = (rows: LabelRows): string | null =>
  (rows.catalogLabelId === null
    ? rows.one(labelIdentityBridge)
    : rows.one(catalogLabel)
  )?.slug.toLowerCase() ?? null;

/**
 * The answer for a key that no source has named: no identity, every facet an honest gap.
 *
 * @param key the asked key: a label cluster id, else a slug
 */
export function unresolvedLabel(key: string, isCluster: boolean): Dossier {
  const dossier = dossierOf(labelRows(subjectRef('label', key), NO_ROWS), isCluster ? 'cluster' : null, key);
  return isCluster ? dossier : { ...dossier, members: { ...dossier.members, cluster_id: null } };
}
