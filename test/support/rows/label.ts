import type { Columns, RowOf } from '../../../projections/contracts/columns.ts';
import type { Source } from '../../../projections/contracts/contract.ts';
import type { SubjectRef } from '../../../projections/engine/rows.ts';
import { LabelRows } from '../../../projections/models/label/lanes.ts';
import { mirrorRows, rowsOf, type SourceRows } from './source-rows.ts';

/** The label that rows are about where they do not say otherwise. */
export const LABEL = '1a'.repeat(32);
export const OTHER_LABEL = '2b'.repeat(32);
export const LABEL_ID = 23;
export const CATALOG_KEY: SubjectRef = `catalog-label:${LABEL_ID}`;
export const CLUSTER_KEY: SubjectRef = `label:${LABEL}`;

/** The same label in the catalogue lane with and without a cluster, and in the cluster lane. */
export const boundLabel = { lane: 'catalogue lane', catalogLabelId: LABEL_ID, clusterId: LABEL };
export const unboundLabel = {
  lane: 'catalogue lane without a cluster',
  catalogLabelId: LABEL_ID,
  clusterId: null,
};
export const clusterOnlyLabel = { lane: 'cluster lane', catalogLabelId: null, clusterId: LABEL };
export type LabelSubject = Pick<LabelRows, 'catalogLabelId' | 'clusterId'> & { readonly lane: string };

/** Columns left out: the label's own ids, else what `rowsOf` gives them. */
export const aboutLabel = <C extends Columns>(
  source: Source<C>,
  ...rows: readonly Partial<RowOf<C>>[]
): SourceRows => rowsOf(source, ...rows.map((row) => ({ ...(ownIds(source) as Partial<RowOf<C>>), ...row })));

function ownIds(source: Source): Record<string, unknown> {
  const ids: Record<string, unknown> = {};
  for (const { kind, column } of [source.subject, ...source.alsoAbout]) {
    if (kind === 'label') ids[column] = LABEL;
    if (kind === 'catalog-label') ids[column] = LABEL_ID;
  }
  return ids;
}

/** What a facet sees of the label. */
export const labelFacetRows = (
  { catalogLabelId, clusterId }: LabelSubject,
  ...given: readonly SourceRows[]
): LabelRows => new LabelRows(mirrorRows(...given), catalogLabelId, clusterId);
