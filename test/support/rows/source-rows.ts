import {
  type Columns,
  columnShape,
  type Encoding,
  type RowOf,
} from '../../../projections/contracts/columns.ts';
import type { Source, SubjectColumn } from '../../../projections/contracts/contract.ts';
import { type MirrorRow, MirrorRows, type SubjectRef } from '../../../projections/engine/rows.ts';
import { bySubject } from './by-subject.ts';

/** The artist that rows are about where they do not say otherwise. */
export const CLUSTER = 'c1'.repeat(32);
export const OTHER_CLUSTER = '0e'.repeat(32);
export const CATALOG_ID = 4711;

/** Rows of one source in the order given; a source without rows has delivered, but not for this artist. */
export interface SourceRows {
  readonly source: Source;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

/** Omitted columns get the artist's own ids, null where nullable, else a value that differs by row number. */
export const rowsOf = <C extends Columns>(
  source: Source<C>,
  ...rows: readonly Partial<RowOf<C>>[]
): SourceRows => ({
  source,
  rows: rows.map((row, index) => ({ ...defaults(source, index + 1), ...row })),
});

/** When the first row of each source changed; every further one a second later. */
export const CHANGED_AT = Date.UTC(2019, 5, 30, 12);

/** The rows as projections read them; a source that is not given has never delivered. */
export function mirrorRows(...given: readonly SourceRows[]): MirrorRows {
  return new MirrorRows(
    bySubject(given.map((one) => [one.source.table, rowsBySubject(one)])),
    new Set(given.map(({ source }) => source.table)),
  );
}

export function rowsBySubject({ source, rows }: SourceRows): Map<SubjectRef, MirrorRow[]> {
  const found = new Map<SubjectRef, MirrorRow[]>();
  for (const [index, row] of rows.entries()) {
    const entry = { row: onlyColumns(source, row), changedAt: CHANGED_AT + index * 1_000 };
    for (const ref of subjectsOf(source, row)) found.set(ref, [...(found.get(ref) ?? []), entry]);
  }
  return found;
}

function subjectsOf(source: Source, row: SourceRows['rows'][number]): SubjectRef[] {
  return columnsOfSubjects(source).flatMap(({ kind, column }) => {
    const ids = [row[column]].flat().filter((id) => id !== null);
    return ids.map((id): SubjectRef => `${kind}:${id}`);
  });
}

const columnsOfSubjects = (source: Source): readonly SubjectColumn[] => [source.subject, ...source.alsoAbout];

function defaults(source: Source, number: number): Record<string, unknown> {
  const own = new Map<string, unknown>();
  for (const { kind, column } of columnsOfSubjects(source)) {
    if (kind === 'artist') own.set(column, CLUSTER);
    if (kind === 'catalog-artist') own.set(column, CATALOG_ID);
  }
  const entries = Object.entries(source.columns).map(([name, column]) => {
    const { encoding, isList, isNullable, values } = columnShape(column);
    const id = own.get(name);
    if (id !== undefined) return [name, isList ? [id] : id];
    if (isNullable) return [name, null];
    if (isList) return [name, []];
    return [name, values?.[0] ?? plain[encoding](name, number)];
  });
  return Object.fromEntries(entries);
}

const plain: Record<Encoding, (name: string, number: number) => unknown> = {
  hex: () => OTHER_CLUSTER,
  text: (name, number) => `${name} ${number}`,
  int: (_name, number) => number,
  num: (_name, number) => number + 0.5,
  bool: () => false,
  date: () => '2019-06-30',
  partial_date: () => '2019',
  ts: () => '2019-06-30T12:00:00Z',
  uuid: (_name, number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
  json: () => ({}),
};

/** A row that throws where a column is read that the source does not declare. */
const onlyColumns = (source: Source, row: object): object =>
  new Proxy(row, {
    get(target, name, receiver) {
      if (typeof name === 'string' && !(name in source.columns))
        throw new Error(`${source.table} has no column ${name}`);
      return Reflect.get(target, name, receiver);
    },
  });
