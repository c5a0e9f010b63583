import { catalogLabel } from '../../contracts/catalog/label.ts';
import { isAbout, type SubjectKind } from '../../contracts/contract.ts';
import { labelIdentityBridge } from '../../contracts/seen/label-identity-bridge.ts';
import { dossierDocument } from '../../engine/dossier.ts';
import {
  type LookupKey,
  type ProjectedDocument,
  type Projection,
  type Read,
  type SourceRegistry,
  splitRef,
  subjectRef,
} from '../../engine/projection.ts';
import type { MirrorRows, SubjectRef } from '../../engine/rows.ts';
import { buildLabel, slugOf } from './dossier.ts';
import { facets } from './facets/index.ts';
import { boundCatalogLabels, boundLabelCluster, type LabelRows, labelName, labelRows } from './lanes.ts';

const KINDS: readonly SubjectKind[] = ['label', 'catalog-label'];

const reads: readonly Read[] = [...new Set(facets.flatMap(({ sources }) => sources))].map((source) => ({
  source,
  by: KINDS.filter((kind) => isAbout(source, kind)),
}));

/**
 * Label dossiers, one document per lane: `label:<cluster id>` and `catalog-label:<id>`. A catalogue document includes the
 * rows of the cluster whose bridge names it.
 */
export const labelProjection: Projection = {
  name: 'label',
  version: 2,
  reads,
  keys: KINDS,
  async project(keys, readRows, registry) {
    const catalogKeys = keys.filter(isCatalogKey);
    const bridges = await readRows([{ source: labelIdentityBridge, by: ['catalog-label'] }], catalogKeys);
    const clusters = catalogKeys.flatMap((key) => {
      const cluster = boundLabelCluster(bridges, key);
      return cluster === null ? [] : [subjectRef('label', cluster)];
    });
    const rows = await readRows(reads, [...keys, ...clusters]);
    return keys.map((key) => projectLabel(key, rows, registry));
  },
};

const isCatalogKey = (key: SubjectRef): boolean => splitRef(key).kind === 'catalog-label';

function projectLabel(key: SubjectRef, rows: MirrorRows, registry: SourceRegistry): ProjectedDocument {
  const own = labelRows(key, rows);
  const dependents = own.catalogLabelId === null ? boundCatalogLabels(rows, key) : [];
  if (!isKnown(own)) return { key, document: null, dependents };
  return { key, document: dossierDocument(buildLabel(key, own), lookupKeysOf(own), registry), dependents };
}

/** A catalogue label needs its catalogue row, a cluster any publishable row. */
const isKnown = (rows: LabelRows): boolean =>
  rows.catalogLabelId === null
    ? reads.some(({ source }) => rows.changedAt(source) !== null)
    : rows.one(catalogLabel) !== null;

/** A slug belongs to the catalogue label first, then to a cluster. */
function lookupKeysOf(rows: LabelRows): LookupKey[] {
  const slug = slugOf(rows);
  if (slug === null || labelName(rows) === null) return [];
  return [{ value: slug, rank: rows.catalogLabelId === null ? 1 : 0, support: 0 }];
}
