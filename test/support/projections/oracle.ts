import type { Source } from '../../../projections/contracts/contract.ts';
import {
  type Document,
  type ProjectedDocument,
  type Projection,
  type SourceRegistry,
  subjectRef,
} from '../../../projections/engine/projection.ts';
import { type MirrorRow, MirrorRows, type SubjectRef } from '../../../projections/engine/rows.ts';
import { decodeRow } from '../../../workers/ingest/decode/envelope.ts';
import type { ProducerChange } from '../history/history.ts';
import { FIRST_TIME_MS } from '../ingest/delivery.ts';
import { bySubject } from '../rows/by-subject.ts';
import type { Documents } from './documents.ts';

/** A row that is left when all has been done. */
export interface ExpectedRow {
  readonly source: Source;
  readonly row: Readonly<Record<string, unknown>>;
  readonly changedAt: number;
}

export interface Expected {
  readonly rows: readonly ExpectedRow[];
  readonly delivered: ReadonlySet<string>;
}

/** The final rows of the producers' tables, by applying the row changes one after the other. */
export function expectedRows(rowChanges: readonly ProducerChange[]): Expected {
  const rows = new Map<string, ExpectedRow>();
  const delivered = new Set<string>();
  for (const [index, rowChange] of rowChanges.entries()) {
    const { source } = rowChange;
    if (rowChange.kind === 'truncate') {
      for (const [id, row] of rows) if (row.source === source) rows.delete(id);
      continue;
    }
    const id = JSON.stringify([source.table, ...source.key.map((name) => rowChange.row[name])]);
    const before = rows.get(id);
    if (rowChange.kind === 'delete') {
      rows.delete(id);
      continue;
    }
    delivered.add(source.table);
    const row = { ...rowChange.row };
    if (before !== undefined) {
      for (const name of rowChange.unavailable) row[name] = before.row[name];
    }
    const isEqual = before !== undefined && JSON.stringify(before.row) === JSON.stringify(row);
    const changedAt = isEqual ? before.changedAt : FIRST_TIME_MS + index * 1_000;
    rows.set(id, { source, row, changedAt });
  }
  return { rows: [...rows.values()], delivered };
}

/** The documents that the rows call for, made without a database. */
export async function recompute(
  projection: Projection,
  expected: Expected,
  registry: SourceRegistry,
): Promise<Documents> {
  const isOwn = (key: SubjectRef): boolean => projection.keys.some((kind) => key.startsWith(`${kind}:`));
  const projected = await projectSubjects(projection, expected, registry, { isWanted: isOwn });
  return new Map(projected.flatMap(({ key, document }) => (document ? [[key, contentOf(document)]] : [])));
}

/** Projects every subject that the rows are about and `isWanted`, without a database. */
export async function projectSubjects(
  projection: Projection,
  expected: Expected,
  registry: SourceRegistry,
  { isWanted = () => true }: { readonly isWanted?: (key: SubjectRef) => boolean } = {},
): Promise<ProjectedDocument[]> {
  const { subjects, mirror } = mirrorOf(expected);
  return projection.project(subjects.filter(isWanted), async () => mirror, registry);
}

/** The rows as projections read them, and everything that they are about. */
export function mirrorOf({ rows, delivered }: Expected): { subjects: SubjectRef[]; mirror: MirrorRows } {
  const found = bySubject(subjectsOf(rows));
  return { subjects: [...found.keys()], mirror: new MirrorRows(found, delivered) };
}

/** A document in the form of `documentsOf`. */
function contentOf(document: Document): string {
  const addresses = document.lookupKeys
    .toSorted((a, b) => compare(a.value, b.value) || a.rank - b.rank)
    .map(({ rank, support, value: address }) => `${rank} ${support} ${quoted(address)}`);
  return [document.hash.toString('hex'), document.body().toString('hex'), ...addresses].join(' ');
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** The rows by table and by everything they are about, in the order of keyset and key. */
function subjectsOf(rows: readonly ExpectedRow[]): Map<string, Map<SubjectRef, MirrorRow[]>> {
  const tables = new Map<string, Map<SubjectRef, MirrorRow[]>>();
  const decoded = rows.map((expected) => {
    const upsert = decodeRow(expected.source, expected.row, { version: '', sourceTimeMs: 0 });
    if (upsert.kind !== 'upsert')
      throw new Error(`the history holds a broken row: ${JSON.stringify(upsert)}`);
    return { expected, upsert };
  });
  decoded.sort(
    (a, b) => compare(a.upsert.orderKey, b.upsert.orderKey) || compare(a.upsert.key, b.upsert.key),
  );
  for (const { expected, upsert } of decoded) {
    const { source } = expected;
    const kinds = [source.subject.kind, ...(source.markedAs === undefined ? [] : [source.markedAs])];
    const refs = [...kinds.map((kind) => subjectRef(kind, upsert.subject)), ...upsert.links];
    const subjects = tables.get(source.table) ?? new Map<SubjectRef, MirrorRow[]>();
    tables.set(source.table, subjects);
    for (const ref of new Set(refs)) {
      const entry = { row: JSON.parse(upsert.row), changedAt: expected.changedAt };
      subjects.set(ref, [...(subjects.get(ref) ?? []), entry]);
    }
  }
  return tables;
}

const compare = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
