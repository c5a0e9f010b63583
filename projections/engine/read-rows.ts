import type { ClientBase } from 'pg';
import { int2Array, textArray } from '../../db/arrays.ts';
import type { SubjectKind } from '../contracts/contract.ts';
import { sources } from '../contracts/index.ts';
import { type Read, type ReadRows, type SourceRegistry, splitRef, subjectRef } from './projection.ts';
import { type MirrorRow, MirrorRows, type SubjectRef } from './rows.ts';

const BY_SUBJECT = `
  select source, subject, row, (extract(epoch from changed_time) * 1000)::float8 as changed_at
  from ingest.mirror
  where source = any($1::int2[]) and subject = any($2::text[]) and row is not null
  order by subject, source, order_key, key`;

const BY_LINK = `
  select mirror.source, link.subject, mirror.row, (extract(epoch from changed_time) * 1000)::float8 as changed_at
  from ingest.link join ingest.mirror using (source, key)
  where link.source = any($1::int2[]) and link.subject = any($2::text[]) and mirror.row is not null
  order by link.subject, link.source, order_key, key`;

const DELIVERED = 'select id from ingest.source where first_change_at is not null';

interface Found {
  source: number;
  subject: string;
  row: string;
  changed_at: number;
}

/**
 * A reader of mirror rows on one connection. Each call costs one statement per kind of subject and way of addressing,
 * whatever the number of subjects.
 */
export function mirrorReader(client: ClientBase, registry: SourceRegistry): ReadRows {
  const tables = new Map(sources.map((source) => [registry.idOf(source), source.table]));
  const tableOf = (id: number): string => tables.get(id) ?? '';
  return async (reads, subjects) => {
    const found = new Map<SubjectRef, Map<string, MirrorRow[]>>();
    for (const [kind, refs] of groupByKind(subjects)) {
      const direct: number[] = [];
      const linked: number[] = [];
      for (const { source, by } of reads) {
        if (!by.includes(kind)) continue;
        (source.subject.kind === kind ? direct : linked).push(registry.idOf(source));
      }
      if (direct.length > 0) {
        const values = refs.map((ref) => splitRef(ref).value);
        const { rows } = await client.query<Found>({
          name: 'mirror-by-subject',
          text: BY_SUBJECT,
          values: [int2Array(direct), textArray(values)],
        });
        collect(rows, found, { refOf: (value) => subjectRef(kind, value), tableOf });
      }
      if (linked.length > 0) {
        const { rows } = await client.query<Found>({
          name: 'mirror-by-link',
          text: BY_LINK,
          values: [int2Array(linked), textArray(refs)],
        });
        collect(rows, found, { refOf: (ref) => ref as SubjectRef, tableOf });
      }
    }
    const { rows: delivered } = await client.query<{ id: number }>({
      name: 'delivered',
      text: DELIVERED,
    });
    return new MirrorRows(found, new Set(delivered.flatMap(({ id }) => tables.get(id) ?? [])));
  };
}

/**
 * A reader that reads the rows of a subject once, for documents that share rows and are projected one after the other. It
 * keeps all rows it has read. Equal reads must be the same array.
 */
export function rememberingReader(readRows: ReadRows): ReadRows {
  const known = new Map<readonly Read[], { readonly subjects: Set<SubjectRef>; rows: MirrorRows }>();
  return async (reads, subjects) => {
    const before = known.get(reads);
    if (before === undefined) {
      const rows = await readRows(reads, subjects);
      known.set(reads, { subjects: new Set(subjects), rows });
      return rows;
    }
    const further = subjects.filter((subject) => !before.subjects.has(subject));
    if (further.length > 0) {
      const found = await readRows(reads, further);
      before.rows = before.rows.and(found);
      for (const subject of further) before.subjects.add(subject);
    }
    return before.rows;
  };
}

/** Groups rows that are ordered by subject, then by source. */
function collect(
  rows: readonly Found[],
  found: Map<SubjectRef, Map<string, MirrorRow[]>>,
  { refOf, tableOf }: { refOf(subject: string): SubjectRef; tableOf(source: number): string },
): void {
  let last: Found | null = null;
  let byTable = new Map<string, MirrorRow[]>();
  let entries: MirrorRow[] = [];
  for (const row of rows) {
    const isOfSubject = row.subject === last?.subject;
    if (!isOfSubject) byTable = entryOf(found, refOf(row.subject), () => new Map());
    if (!isOfSubject || row.source !== last?.source)
      entries = entryOf(byTable, tableOf(row.source), () => []);
    entries.push({ row: JSON.parse(row.row), changedAt: row.changed_at });
    last = row;
  }
}

function entryOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let entry = map.get(key);
  if (entry === undefined) {
    entry = make();
    map.set(key, entry);
  }
  return entry;
}

function groupByKind(subjects: readonly SubjectRef[]): Map<SubjectKind, SubjectRef[]> {
  const groups = new Map<SubjectKind, SubjectRef[]>();
  for (const ref of new Set(subjects)) {
    const { kind } = splitRef(ref);
    entryOf(groups, kind, () => []).push(ref);
  }
  return groups;
}
