import type { ClientBase } from 'pg';
import { int2Array, int4Array, textArray } from '../../db/arrays.ts';
import type { SubjectRef } from '../rows.ts';
import { documentTable, type Version } from './version.ts';

/** Projectors share work by bucket; a document is in one bucket only, so it is written by one at a time. */
export const BUCKETS = 64;

/** FNV-1a over the key's characters. */
export function bucketOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index++) {
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0) % BUCKETS;
}

export interface Mark {
  readonly version: Version;
  readonly key: SubjectRef;
}

export const MARK_CHANNEL = 'projection_mark';

/**
 * Projecting a marked document may mark others, and projecting these again others; no chain is longer. Whoever waits
 * for the effect of a change counts on it.
 */
export const TOUCH_DEPTH = 2;

const MARK = `
  with marked as (
    insert into projection.mark (version, bucket, keys, marked_at)
    select version, bucket, array_agg(key), coalesce($5::timestamptz, now())
    from unnest($1::int4[], $2::int2[], $3::int4[], $4::text[]) dirty (version, bucket, part, key)
    group by version, bucket, part
  )
  select pg_notify('${MARK_CHANNEL}', '')`;

/** Keys in one row of the table, which is written and cleared as one; so few that it stays within a page. */
const KEYS_PER_ROW = 32;

/**
 * Notes that documents may differ from their sources, and wakes the projectors when the transaction commits.
 *
 * @param since when the change behind them was marked first, where it was not now
 */
export async function markDirty(
  client: ClientBase,
  marks: readonly Mark[],
  since: Date | null = null,
): Promise<void> {
  if (marks.length === 0) return;
  const buckets = marks.map(({ key }) => bucketOf(key));
  await client.query({
    name: 'mark-dirty',
    text: MARK,
    values: [
      int4Array(marks.map(({ version }) => version.id)),
      int2Array(buckets),
      int4Array(partsOf(marks, buckets)),
      textArray(marks.map(({ key }) => key)),
      since,
    ],
  });
}

/** Into which row of its version and bucket each mark goes. */
function partsOf(marks: readonly Mark[], buckets: readonly number[]): number[] {
  const counts = new Map<number, number>();
  return marks.map(({ version }, index) => {
    const id = version.id * BUCKETS + (buckets[index] ?? 0);
    const count = counts.get(id) ?? 0;
    counts.set(id, count + 1);
    return Math.floor(count / KEYS_PER_ROW);
  });
}

/** Marks every document of the versions, when a fact that all of them state has changed. */
export async function markAll(client: ClientBase, versions: readonly Version[]): Promise<void> {
  for (const version of versions) {
    const { rows } = await client.query<{ key: SubjectRef }>(`select key from ${documentTable(version)}`);
    await markDirty(
      client,
      rows.map(({ key }) => ({ version, key })),
    );
  }
}
