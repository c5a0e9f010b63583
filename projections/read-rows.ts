import type { ClientBase } from 'pg';
import { int2Array, textArray } from '../db/arrays.ts';
import { type ReadRows, type SourceRegistry, splitRef } from './projection.ts';
import { type MirrorRow, MirrorRows, type SubjectRef } from './rows.ts';
import type { SubjectKind } from './sources/contract.ts';
import { sources } from './sources/index.ts';

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
 * A reader of mirror rows on one connection. Each call costs one statement for each kind of subject and way
 * of addressing, whatever the number of subjects.
 */
export function mirrorReader(client: ClientBase, registry: SourceRegistry): ReadRows {
  const byId = new Map(sources.map((source) => [registry.idOf(source), source]));
  return async (reads, subjects) => {
    const found = new Map<string, Map<string, MirrorRow[]>>();
    const collect = (row: Found, ref: SubjectRef): void => {
      const table = byId.get(row.source)?.table;
      if (table === undefined) return;
      let bySubject = found.get(table);
      if (bySubject === undefined) {
        bySubject = new Map();
        found.set(table, bySubject);
      }
      const entry = { row: JSON.parse(row.row), changedAt: row.changed_at };
      const entries = bySubject.get(ref);
      if (entries === undefined) bySubject.set(ref, [entry]);
      else entries.push(entry);
    };
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
        for (const row of rows) collect(row, `${kind}:${row.subject}`);
      }
      if (linked.length > 0) {
        const { rows } = await client.query<Found>({
          name: 'mirror-by-link',
          text: BY_LINK,
          values: [int2Array(linked), textArray(refs)],
        });
        for (const row of rows) collect(row, row.subject as SubjectRef);
      }
    }
    const { rows: delivered } = await client.query<{ id: number }>({
      name: 'delivered',
      text: DELIVERED,
    });
    return new MirrorRows(found, new Set(delivered.flatMap(({ id }) => byId.get(id)?.table ?? [])));
  };
}

function groupByKind(subjects: readonly SubjectRef[]): Map<SubjectKind, SubjectRef[]> {
  const groups = new Map<SubjectKind, SubjectRef[]>();
  for (const ref of new Set(subjects)) {
    const { kind } = splitRef(ref);
    const group = groups.get(kind);
    if (group === undefined) groups.set(kind, [ref]);
    else group.push(ref);
  }
  return groups;
}
