import { LabelRows } from '../../projections/label/lanes.ts';
import type { SubjectRef } from '../../projections/rows.ts';
import type { Columns, RowOf } from '../../projections/sources/columns.ts';
import type { Source } from '../../projections/sources/contract.ts';
import { mirrorRows, rowsOf, type SourceRows } from './source-rows.ts';

/** The label that rows are about where they do not say otherwise. */
export const LABEL = '1a'.repeat(32);
export const OTHER_LABEL = '2b'.repeat(32);
export const LABEL_ID = 23;
export const CATALOG_KEY: SubjectRef = `catalog-label:${LABEL_ID}`;
export const CLUSTER_KEY: SubjectRef = `label:${LABEL}`;

/** The same label in the catalogue lane with and without a cluster, and in the cluster lane. */
export const bound = { lane: 'catalogue lane', catalogLabelId: LABEL_ID, clusterId: LABEL };
export const unbound = {
  lane: 'catalogue lane without a cluster',
  catalogLabelId: LABEL_ID,
  clusterId: null,
};
export const clusterOnly = { lane: 'cluster lane', catalogLabelId: null, clusterId: LABEL };
export type LabelSubject = Pick<LabelRows, 'catalogLabelId' | 'clusterId'> & { readonly lane: string };

/** Columns left out: the label's own ids, else what `rowsOf` gives them. */
export const aboutLabel = <C extends Columns>(
  source: Source<C>,
  ...rows: readonly Partial<RowOf<C>>[]
): SourceRows => rowsOf(source, ...rows.map((row) => ({ ...(ownIds(source) as Partial<RowOf<C>>), ...row })));

function ownIds(source: Source): Record<string, unknown> {
  const ids: Record<string, unknown> = {};
  for (const { kind, column } of [source.subject, ...source.feeds]) {
    if (kind === 'label') ids[column] = LABEL;
    if (kind === 'catalog-label') ids[column] = LABEL_ID;
  }
  return ids;
}

/** What a facet sees of the label. */
export const labelRows = (
  { catalogLabelId, clusterId }: LabelSubject,
  ...given: readonly SourceRows[]
): LabelRows => new LabelRows(mirrorRows(...given), catalogLabelId, clusterId);
