import { columnShape } from '../../../projections/contracts/columns.ts';
import type { Source } from '../../../projections/contracts/contract.ts';
import type { SourceColumn } from '../../../projections/engine/freshness/source-columns.ts';
import type { RowShape, SentColumn } from '../decode/row-shape.ts';

/** What happened to a column of a source's table. */
export interface ColumnChange {
  readonly kind: 'added' | 'dropped' | 'renamed' | 'type_changed';
  readonly name: string;
  /** Types; of `renamed`, the new name is `after`. */
  readonly before: string | null;
  readonly after: string | null;
}

/** What the newest record of a source shows of its columns. */
export interface ColumnObservation {
  readonly source: Source;
  readonly shape: RowShape;
  /** When it was written, in milliseconds since 1970. */
  readonly timeMs: number;
  /** Columns for which it was rejected. */
  readonly failedFields: ReadonlySet<string>;
}

export interface ObservedColumns {
  readonly columns: readonly SourceColumn[];
  readonly changes: readonly ColumnChange[];
}

/**
 * The columns of a source after an observation, and how they differ from those before. The first observation shows no
 * change, but a required column that it lacks counts as dropped, because its rows are rejected.
 */
export function observeColumns(
  stored: readonly SourceColumn[],
  observation: ColumnObservation,
): ObservedColumns {
  const { source, shape, timeMs } = observation;
  const before = new Map(stored.map((column) => [column.name, column]));
  const changes: ColumnChange[] = [];
  const present = [...shape].map(([name, sent], ordinal) => {
    const known = before.get(name);
    if (known === undefined || known.droppedMs !== null) {
      if (stored.length > 0) changes.push({ kind: 'added', name, before: null, after: sent.type });
      return newColumn(name, ordinal, { sent, timeMs, firstSeenMs: known?.firstSeenMs ?? timeMs });
    }
    const column = seenAgain({ ...known, ordinal }, sent, observation);
    if (isOtherType(known, column.type) && !isReturn(known, sent))
      changes.push({ kind: 'type_changed', name, before: known.type, after: column.type });
    return column;
  });
  const gone = stored.filter(({ name }) => !shape.has(name));
  const missing = requiredColumns(source)
    .filter((name) => !shape.has(name) && !before.has(name))
    .map((name) => newColumn(name, shape.size, { sent: UNSENT, timeMs, firstSeenMs: timeMs }));
  const dropped = [...gone, ...missing].map((column) =>
    column.droppedMs === null ? { ...column, ...UNHANDLED, droppedMs: timeMs } : column,
  );
  for (const { name, droppedMs, type } of gone)
    if (droppedMs === null) changes.push({ kind: 'dropped', name, before: type, after: null });
  return withRenames([...present, ...dropped], changes, { stored, shape });
}

const UNSENT: SentColumn = { type: null, isReadable: true };
const UNHANDLED = { failedMs: null, clearedMs: null, acknowledgedMs: null } as const;

const newColumn = (
  name: string,
  ordinal: number,
  { sent, timeMs, firstSeenMs }: { sent: SentColumn; timeMs: number; firstSeenMs: number },
): SourceColumn => ({
  name,
  ordinal,
  type: sent.type,
  typeBefore: null,
  isReadable: sent.isReadable,
  firstSeenMs: Math.min(firstSeenMs, timeMs),
  droppedMs: null,
  renamedTo: null,
  ...UNHANDLED,
});

function seenAgain(
  known: SourceColumn,
  sent: SentColumn,
  { failedFields, timeMs }: ColumnObservation,
): SourceColumn {
  // A column of nulls shows no type.
  const type = sent.type ?? known.type;
  const isReadable = sent.type === null ? known.isReadable : sent.isReadable;
  const hasOtherType = isOtherType(known, type);
  const isNews = hasOtherType && !isReturn(known, sent);
  const column: SourceColumn = {
    ...known,
    ...(isNews && UNHANDLED),
    type,
    typeBefore: hasOtherType ? known.type : type === known.type ? known.typeBefore : null,
    isReadable,
    failedMs: hasOtherType || (isReadable && !known.isReadable) ? null : known.failedMs,
  };
  return isSuspect(column) && failedFields.has(known.name) ? { ...column, failedMs: timeMs } : column;
}

const isJson = (type: string): boolean => type.startsWith('JSON ');

/** A connector that begins or ends to send its schema names all types differently. */
const isOtherType = (known: SourceColumn, type: string | null): boolean =>
  known.type !== null && type !== null && type !== known.type && isJson(type) === isJson(known.type);

/** Without a schema a producer may mix two kinds of values, as numbers and text: that is one change, not many. */
const isReturn = (known: SourceColumn, { type }: SentColumn): boolean =>
  type !== null && isJson(type) && type === known.typeBefore;

/** Whether the change of a column would explain why records are rejected, and nothing says so yet. */
export const isSuspect = (column: SourceColumn): boolean =>
  column.droppedMs === null &&
  (!column.isReadable || column.typeBefore !== null) &&
  column.failedMs === null &&
  column.acknowledgedMs === null;

const requiredColumns = ({ columns }: Source): string[] =>
  Object.entries(columns).flatMap(([name, schema]) => (columnShape(schema).isNullable ? [] : [name]));

/** With more, another table or documents of another kind are sent. */
const MAX_RENAMES = 50;

/** Replaces a drop and an addition by a rename where the new column stands at the place of the old one. */
function withRenames(
  columns: readonly SourceColumn[],
  changes: readonly ColumnChange[],
  { stored, shape }: { readonly stored: readonly SourceColumn[]; readonly shape: RowShape },
): ObservedColumns {
  const namesBefore = stored.filter(({ droppedMs }) => droppedMs === null).map(({ name }) => name);
  const namesAfter = [...shape.keys()];
  const added = changes.filter(({ kind }) => kind === 'added');
  const renamed = new Map<string, string>();
  const hasRenames = added.length <= MAX_RENAMES && changes.length - added.length <= 2 * MAX_RENAMES;
  for (const { kind, name, before: type } of changes) {
    if (kind !== 'dropped' || !hasRenames) continue;
    const place = placeOf(name, namesBefore, (other) => shape.has(other));
    const match = added.find(
      (one) =>
        !renamed.values().some((taken) => taken === one.name) &&
        (type === null || one.after === null || type === one.after) &&
        placeOf(one.name, namesAfter, (other) => namesBefore.includes(other)) === place,
    );
    if (match !== undefined) renamed.set(name, match.name);
  }
  const newNames = new Set(renamed.values());
  return {
    columns: columns.map((column) => ({
      ...column,
      renamedTo: renamed.get(column.name) ?? (column.droppedMs === null ? null : column.renamedTo),
    })),
    changes: changes.flatMap((change): ColumnChange[] => {
      const after = renamed.get(change.name);
      if (change.kind === 'dropped' && after !== undefined)
        return [{ kind: 'renamed', name: change.name, before: change.name, after }];
      return change.kind === 'added' && newNames.has(change.name) ? [] : [change];
    }),
  };
}

/** The nearest columns around a column that were sent both before and after. */
function placeOf(name: string, names: readonly string[], isInBoth: (name: string) => boolean): string {
  const at = names.indexOf(name);
  return JSON.stringify([names.slice(0, at).findLast(isInBoth), names.slice(at + 1).find(isInBoth)]);
}
