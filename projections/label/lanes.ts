import { splitRef, subjectRef } from '../projection.ts';
import type { MirrorRows, SubjectRef } from '../rows.ts';
import { catalogLabel } from '../sources/catalog/label.ts';
import type { Row } from '../sources/contract.ts';
import { labelIdentityBridge } from '../sources/seen/label-identity-bridge.ts';
import { SubjectRows } from '../subject-rows.ts';

export type LabelBridge = Row<typeof labelIdentityBridge>;

/** Whom a label dossier is about, and its mirror rows. */
export class LabelRows extends SubjectRows {
  /** Catalogue label of a dossier entered by the catalogue's slug; null for one entered by cluster id. */
  readonly catalogLabelId: number | null;
  /** Null where no bridge row names the catalogue label. */
  readonly clusterId: string | null;

  constructor(rows: MirrorRows, catalogLabelId: number | null, clusterId: string | null) {
    super(rows, {
      ...(catalogLabelId === null ? {} : { 'catalog-label': subjectRef('catalog-label', catalogLabelId) }),
      ...(clusterId === null ? {} : { label: subjectRef('label', clusterId) }),
    });
    this.catalogLabelId = catalogLabelId;
    this.clusterId = clusterId;
  }
}

/** Whether more than one catalogue label folded into the cluster, so that it speaks for none of them alone. */
export const isOverMerged = (bridge: LabelBridge | null): bridge is LabelBridge =>
  bridge !== null && bridge.catalog_label_id_count > 1;

/** The cluster whose bridge names the catalogue label; of several, one that is no over-merge, then the least id. */
export function boundLabelCluster(rows: MirrorRows, catalogRef: SubjectRef): string | null {
  const bridges = rows
    .all(labelIdentityBridge, catalogRef)
    .toSorted(
      (a, b) => Number(isOverMerged(a)) - Number(isOverMerged(b)) || (a.cluster_id < b.cluster_id ? -1 : 1),
    );
  return bridges[0]?.cluster_id ?? null;
}

/** The rows of the document of `key`; `rows` holds those of a catalogue label's cluster too. */
export function labelRows(key: SubjectRef, rows: MirrorRows): LabelRows {
  const { kind, value } = splitRef(key);
  return kind === 'catalog-label'
    ? new LabelRows(rows, Number(value), boundLabelCluster(rows, key))
    : new LabelRows(rows, null, value);
}

/** The catalogue labels whose documents hold this cluster's rows. */
export function boundCatalogLabels(rows: MirrorRows, clusterRef: SubjectRef): SubjectRef[] {
  return rows
    .all(labelIdentityBridge, clusterRef)
    .flatMap(({ catalog_label_id: id }) => (id === null ? [] : [subjectRef('catalog-label', id)]));
}

/** The label's name by its own lane; null where no source names it, which leaves it unresolved. */
export const labelName = (rows: LabelRows): string | null =>
  rows.catalogLabelId === null
    ? (rows.one(labelIdentityBridge)?.name ?? null)
    : (rows.one(catalogLabel)?.name ?? null);
