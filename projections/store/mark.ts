import type { ClientBase } from 'pg';
import { int2Array, int4Array, textArray, timestamptzArray } from '../../db/arrays.ts';
import { fnv1a } from '../fnv1a.ts';
import type { SubjectRef } from '../rows.ts';
import { documentTable, type Version } from './version.ts';

/** Projectors share work by bucket; a document is in one bucket only, so it is written by one at a time. */
export const BUCKETS = 64;
export const ALL_BUCKETS: readonly number[] = Array.from({ length: BUCKETS }, (_, bucket) => bucket);

export const bucketOf = (key: string): number => (fnv1a(key) >>> 0) % BUCKETS;

/** Documents of which any may differ from its sources, in each of the versions. */
export interface DirtyKeys {
  readonly versions: readonly Version[];
  readonly keys: ReadonlySet<SubjectRef>;
}

export const MARK_CHANNEL = 'projection_mark';

/**
 * Projecting a marked document may mark others, and projecting these again others; no chain is longer. Whoever waits
 * for the effect of a change counts on it.
 */
export const TOUCH_DEPTH = 2;

/**
 * The keys of a row are read once, however many versions they are dirty in. What is marked in several gets ids beside each
 * other, by which it is found again.
 */
const MARK = `
  with dirty as materialized (
    select number, part, bucket, keys::text[], coalesce(since, now()) as since
    from unnest($1::int2[], $2::int2[], $3::text[], $4::timestamptz[])
      with ordinality dirty (part, bucket, keys, since, number)
  ), marked as (
    insert into projection.mark (version, bucket, keys, marked_at)
    select version, bucket, keys, since
    from unnest($5::int2[], $6::int4[]) of_part (part, version) join dirty using (part)
    order by number, version
  )
  select pg_notify('${MARK_CHANNEL}', '')`;

/** Keys in one row of the table, which is written and cleared as one; so few that it stays within a page. */
const KEYS_PER_ROW = 32;

/**
 * Notes that documents may differ from their sources, and wakes the projectors when the transaction commits.
 *
 * @param sinceOf when the change behind a key was marked first; null for now. Keys that are written as one count as marked
 *   with the first of them
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

/** Keys of one bucket, each as an element of an array literal. */
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

/** Null where neither is known. */
export const earlier = (one: Date | null, other: Date | null): Date | null =>
  one === null || (other !== null && other < one) ? other : one;

const TO_ESCAPE = /["\\]/g;

const elementOf = (key: string): string => `"${key.replace(TO_ESCAPE, '\\$&')}"`;

/** Marks every document of the versions, when a fact that all of them state has changed. */
export async function markAll(client: ClientBase, versions: readonly Version[]): Promise<void> {
  for (const version of versions) {
    const { rows } = await client.query<{ key: SubjectRef }>(`select key from ${documentTable(version)}`);
    await markDirty(client, [{ versions: [version], keys: new Set(rows.map(({ key }) => key)) }]);
  }
}
