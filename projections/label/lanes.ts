import { splitRef, subjectRef } from '../projection.ts';
import type { MirrorRows, SubjectRef } from '../rows.ts';
import { catalogLabel } from '../sources/catalog/label.ts';
import { catalogLabelCoOwnership } from '../sources/catalog/label-co-ownership.ts';
import type { Row, Source } from '../sources/contract.ts';
import { labelIdentityBridge } from '../sources/seen/label-identity-bridge.ts';
import { SubjectRows } from '../subject-rows.ts';

export type LabelBridge = Row<typeof labelIdentityBridge>;
type LabelPair = Row<typeof catalogLabelCoOwnership>;

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

  /** Pairs that are all kept back do not show by the time at which they changed either. */
  override changedAt(source: Source): number | null {
    return source === catalogLabelCoOwnership && toldPairs(this).length === 0
      ? null
      : super.changedAt(source);
  }
}

/** Fewer collectors than this could be told apart, so the read model never holds their pair. */
export const SUPPORT_FLOOR = 5;

/** The pairs with other labels that may be told of. */
export const toldPairs = (rows: LabelRows): LabelPair[] =>
  rows.all(catalogLabelCoOwnership).filter(({ support }) => support >= SUPPORT_FLOOR);

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
