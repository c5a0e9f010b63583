import { catalogLabel } from '../../contracts/catalog/label.ts';
import { catalogLabelCoOwnership } from '../../contracts/catalog/label-co-ownership.ts';
import type { Row, Source } from '../../contracts/contract.ts';
import { labelIdentityBridge } from '../../contracts/seen/label-identity-bridge.ts';
import { splitRef, subjectRef } from '../../engine/projection.ts';
import type { MirrorRows, SubjectRef } from '../../engine/rows.ts';
import { SubjectRows } from '../../engine/subject-rows.ts';

export type LabelBridge = Row<typeof labelIdentityBridge>;
type LabelPair = Row<typeof catalogLabelCoOwnership>;

/** The subject of a label dossier and its mirror rows. */
export class LabelRows extends SubjectRows {
  /** Null in the cluster lane. */
  readonly catalogLabelId: number | null;
  /** Null if no bridge names the catalogue label. */
  readonly clusterId: string | null;

  constructor(rows: MirrorRows, catalogLabelId: number | null, clusterId: string | null) {
    super(rows, {
      ...(catalogLabelId === null ? {} : { 'catalog-label': subjectRef('catalog-label', catalogLabelId) }),
      ...(clusterId === null ? {} : { label: subjectRef('label', clusterId) }),
    });
    this.catalogLabelId = catalogLabelId;
    this.clusterId = clusterId;
  }

  /** If all pairs are withheld, so is the time of their change. */
  override changedAt(source: Source): number | null {
    return source === catalogLabelCoOwnership && publishedPairs(this).length === 0
      ? null
      : super.changedAt(source);
  }
}

/** Fewer collectors could be identified, so the read model never contains their pair. */
export const SUPPORT_FLOOR = 5;

/** The pairs with other labels that have enough collectors. */
export const publishedPairs = (rows: LabelRows): LabelPair[] =>
  rows.all(catalogLabelCoOwnership).filter(({ support }) => support >= SUPPORT_FLOOR);

/** Whether several catalogue labels folded into the cluster, so it represents none of them alone. */
export const isOverMerged = (bridge: LabelBridge | null): bridge is LabelBridge =>
  bridge !== null && bridge.catalog_label_id_count > 1;

/** The cluster whose bridge names the catalogue label; if several, one without over-merge, then the lowest id. */
export function boundLabelCluster(rows: MirrorRows, catalogRef: SubjectRef): string | null {
  const bridges = rows
    .all(labelIdentityBridge, catalogRef)
    .toSorted(
      (a, b) => Number(isOverMerged(a)) - Number(isOverMerged(b)) || (a.cluster_id < b.cluster_id ? -1 : 1),
    );
  return bridges[0]?.cluster_id ?? null;
}

/** The rows of one document. @param rows includes those of a catalogue label's cluster */
export function labelRows(key: SubjectRef, rows: MirrorRows): LabelRows {
  const { kind, value } = splitRef(key);
  return kind === 'catalog-label'
    ? new LabelRows(rows, Number(value), boundLabelCluster(rows, key))
    : new LabelRows(rows, null, value);
}

/** The catalogue labels whose documents include this cluster's rows. */
export function boundCatalogLabels(rows: MirrorRows, clusterRef: SubjectRef): SubjectRef[] {
  return rows
    .all(labelIdentityBridge, clusterRef)
    .flatMap(({ catalog_label_id: id }) => (id === null ? [] : [subjectRef('catalog-label', id)]));
}

/** The label's name in its lane; null if no source names it, so it is unresolved. */
export const labelName = (rows: LabelRows): string | null =>
  rows.catalogLabelId === null
    ? (rows.one(labelIdentityBridge)?.name ?? null)
    : (rows.one(catalogLabel)?.name ?? null);
