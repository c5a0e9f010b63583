import { LabelRows } from '../projections/label/lanes.ts';
import { type MirrorRow, MirrorRows, type SubjectRef } from '../projections/rows.ts';
import type { Columns, RowOf } from '../projections/sources/columns.ts';
import type { Source } from '../projections/sources/contract.ts';
import { rowsOf, type SourceRows } from './artist-rows.ts';

/** The label that rows are about where they do not say otherwise. */
export const LABEL = '1a'.repeat(32);
export const OTHER_LABEL = '2b'.repeat(32);
export const LABEL_ID = 23;
export const CATALOG_KEY: SubjectRef = `catalog-label:${LABEL_ID}`;
export const CLUSTER_KEY: SubjectRef = `label:${LABEL}`;

/** When the first row of each source changed; every further one a second later. */
export const CHANGED_AT = Date.UTC(2019, 5, 30, 12);

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

/** The rows as a projection reads them; a source that is not given has never delivered. */
export function mirrorRows(...given: readonly SourceRows[]): MirrorRows {
  const found = new Map<string, Map<SubjectRef, MirrorRow[]>>();
  for (const { source, rows } of given) {
    const bySubject = found.get(source.table) ?? new Map<SubjectRef, MirrorRow[]>();
    found.set(source.table, bySubject);
    for (const [index, row] of rows.entries()) {
      for (const { kind, column } of [source.subject, ...source.feeds]) {
        if (row[column] === null) continue;
        const ref: SubjectRef = `${kind}:${row[column]}`;
        const entry = { row, changedAt: CHANGED_AT + index * 1_000 };
        bySubject.set(ref, [...(bySubject.get(ref) ?? []), entry]);
      }
    }
  }
  return new MirrorRows(found, new Set(given.map(({ source }) => source.table)));
}

/** What a facet sees of the label. */
export const labelRows = (
  { catalogLabelId, clusterId }: LabelSubject,
  ...given: readonly SourceRows[]
): LabelRows => new LabelRows(mirrorRows(...given), catalogLabelId, clusterId);
