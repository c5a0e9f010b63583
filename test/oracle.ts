import type { Document, Projected, Projection, SourceRegistry } from '../projections/projection.ts';
import { type MirrorRow, MirrorRows, type SubjectRef } from '../projections/rows.ts';
import type { Source } from '../projections/sources/contract.ts';
import { decodeRow } from '../workers/ingest/decode/envelope.ts';
import { FIRST_TIME_MS } from './delivery.ts';
import type { Documents } from './documents.ts';
import type { Deed } from './history/history.ts';
import { bySubject } from './rows/by-subject.ts';

/** A row that is left when all has been done. */
interface ExpectedRow {
  readonly source: Source;
  readonly row: Readonly<Record<string, unknown>>;
  readonly changedAt: number;
}

export interface Expected {
  readonly rows: readonly ExpectedRow[];
  readonly delivered: ReadonlySet<string>;
}

/** What the producers' tables hold in the end, by doing the deeds one after the other. */
export function expectedRows(deeds: readonly Deed[]): Expected {
  const rows = new Map<string, ExpectedRow>();
  const delivered = new Set<string>();
  for (const [index, deed] of deeds.entries()) {
    const { source } = deed;
    if (deed.kind === 'truncate') {
      for (const [id, row] of rows) if (row.source === source) rows.delete(id);
      continue;
    }
    const id = JSON.stringify([source.table, ...source.key.map((name) => deed.row[name])]);
    const before = rows.get(id);
    if (deed.kind === 'delete') {
      rows.delete(id);
      continue;
    }
    delivered.add(source.table);
    const row = { ...deed.row };
    if (before !== undefined) {
      for (const name of deed.unavailable) row[name] = before.row[name];
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
  const projected = await projectSubjects(projection, expected, registry, isOwn);
  return new Map(projected.flatMap(({ key, document }) => (document ? [[key, contentOf(document)]] : [])));
}

/** Projects every subject that the rows are about and `isWanted`, without a database. */
export async function projectSubjects(
  projection: Projection,
  { rows, delivered }: Expected,
  registry: SourceRegistry,
  isWanted: (key: SubjectRef) => boolean = () => true,
): Promise<Projected[]> {
  const found = bySubject(subjectsOf(rows));
  const mirror = new MirrorRows(found, delivered);
  return projection.project([...found.keys()].filter(isWanted), async () => mirror, registry);
}

/** A document as `documentsOf` tells it. */
function contentOf(document: Document): string {
  const addresses = document.addresses
    .toSorted((a, b) => compare(a.address, b.address) || a.rank - b.rank)
    .map(({ rank, support, address }) => `${rank} ${support} ${quoted(address)}`);
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
    const refs: SubjectRef[] = [`${source.subject.kind}:${upsert.subject}`, ...upsert.links];
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
