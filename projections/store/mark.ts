import type { ClientBase } from 'pg';
import { int2Array, int4Array, textArray } from '../../db/arrays.ts';
import type { SubjectRef } from '../rows.ts';
import { documentTable, type Version } from './version.ts';

/** Projectors share work by bucket; a document is in one bucket only, so it is written by one at a time. */
export const BUCKETS = 64;

/** FNV-1a over the key's characters. */
function bucketOf(key: string): number {
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

/** Notes that documents may differ from their sources, and wakes the projectors when the transaction commits. */
export async function markDirty(client: ClientBase, marks: readonly Mark[]): Promise<void> {
  if (marks.length === 0) return;
  await client.query({
    name: 'mark-dirty',
    text: `insert into projection.mark (version, bucket, key)
           select * from unnest($1::int4[], $2::int2[], $3::text[])`,
    values: [
      int4Array(marks.map((mark) => mark.version.id)),
      int2Array(marks.map((mark) => bucketOf(mark.key))),
      textArray(marks.map((mark) => mark.key)),
    ],
  });
  await client.query(`notify ${MARK_CHANNEL}`);
}

export const MARK_CHANNEL = 'projection_mark';

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
