import type { ClientBase } from 'pg';
import { int2Array, int4Array, textArray, timestamptzArray } from '../../../db/arrays.ts';
import { fnv1a } from '../fnv1a.ts';
import type { SubjectRef } from '../rows.ts';
import { documentTable, type Version } from './version.ts';

/** Projectors share work by bucket. A document is in one bucket, so one projector at a time writes it. */
export const BUCKETS = 64;
export const ALL_BUCKETS: readonly number[] = Array.from({ length: BUCKETS }, (_, bucket) => bucket);

export const bucketOf = (key: string): number => (fnv1a(key) >>> 0) % BUCKETS;

/** Documents that may differ from their sources, in each of the versions. */
export interface DirtyKeys {
  readonly versions: readonly Version[];
  readonly keys: ReadonlySet<SubjectRef>;
}

/** Wakes projectors after the commit of a transaction that marked documents dirty. */
export const MARK_CHANNEL = 'projection_mark';

/**
 * Projecting a dirty document may mark its dependents dirty, and projecting these may mark theirs; no chain is longer.
 * Waiting for a change to become visible relies on it.
 */
export const DEPENDENT_DEPTH = 2;

/** One row in several versions has the same id in each, so that a projector clears them together. */
const MARK = `
  with dirty as materialized (
    select nextval('projection.mark_id_seq') as id, part, bucket, keys::text[], coalesce(since, now()) as since
    from unnest($1::int2[], $2::int2[], $3::text[], $4::timestamptz[]) dirty (part, bucket, keys, since)
  )
  insert into projection.mark (id, version, bucket, keys, marked_at) overriding system value
  select id, version, bucket, keys, since
  from unnest($5::int2[], $6::int4[]) of_part (part, version) join dirty using (part)
  order by id, version`;

/** Keys per row, which is written and cleared as one. So few that the row fits a page. */
const KEYS_PER_ROW = 32;

/**
 * Marks documents dirty. Projectors find the marks at their next poll, or earlier if the caller notifies them after its
 * commit.
 *
 * @param sinceOf when the change of a key was first marked; null for now. Keys of one row count as marked with the first
 */
export async function markDirty(
  client: ClientBase,
  dirty: readonly DirtyKeys[],
  sinceOf: (key: SubjectRef) => Date | null = () => null,
): Promise<void> {
  const rows = dirty.flatMap(({ keys }, part) => rowsOf(keys, part, sinceOf));
  if (rows.length === 0) return;
  const members = dirty.flatMap(({ versions }, part) => versions.map(({ id }) => ({ part, id })));
  await client.query({
    name: 'mark-dirty',
    text: MARK,
    values: [
      int2Array(rows.map(({ part }) => part)),
      int2Array(rows.map(({ bucket }) => bucket)),
      textArray(rows.map(({ keys }) => `{${keys.join()}}`)),
      timestamptzArray(rows.map(({ since }) => since?.getTime() ?? null)),
      int2Array(members.map(({ part }) => part)),
      int4Array(members.map(({ id }) => id)),
    ],
  });
}

/** Keys of one bucket as elements of an array literal. */
interface MarkRow {
  readonly part: number;
  readonly bucket: number;
  readonly keys: string[];
  since: Date | null;
}

function rowsOf(
  keys: ReadonlySet<SubjectRef>,
  part: number,
  sinceOf: (key: SubjectRef) => Date | null,
): MarkRow[] {
  const rows: MarkRow[] = [];
  const open = new Map<number, MarkRow>();
  for (const key of keys) {
    const bucket = bucketOf(key);
    let row = open.get(bucket);
    if (row === undefined || row.keys.length === KEYS_PER_ROW) {
      row = { part, bucket, keys: [], since: null };
      rows.push(row);
      open.set(bucket, row);
    }
    row.keys.push(elementOf(key));
    row.since = earlier(row.since, sinceOf(key));
  }
  return rows;
}

/** The earlier instant; null if both are. */
export const earlier = (one: Date | null, other: Date | null): Date | null =>
  one === null || (other !== null && other < one) ? other : one;

const TO_ESCAPE = /["\\]/g;

const elementOf = (key: string): string => `"${key.replace(TO_ESCAPE, '\\$&')}"`;

/** Marks every document of the versions dirty, when a fact in all of them changed. */
export async function markAll(client: ClientBase, versions: readonly Version[]): Promise<void> {
  for (const version of versions) {
    const { rows } = await client.query<{ key: SubjectRef }>(`select key from ${documentTable(version)}`);
    await markDirty(client, [{ versions: [version], keys: new Set(rows.map(({ key }) => key)) }]);
  }
}
