import type { Pool } from 'pg';
import { int8Array } from '../../db/arrays.ts';
import { LOCKS } from '../../db/locks.ts';
import { transaction } from '../../db/transaction.ts';
import type { Projection, SourceRegistry } from '../../projections/projection.ts';
import { mirrorReader } from '../../projections/read-rows.ts';
import type { SubjectRef } from '../../projections/rows.ts';
import { BUCKETS, markDirty } from '../../projections/store/mark.ts';
import type { Version } from '../../projections/store/version.ts';
import { type Written, writeDocuments } from '../../projections/store/write-documents.ts';

/** What one pass over a bucket did; `busy` where another projector holds the bucket. */
export type Drained = { readonly busy: true } | ({ readonly busy: false; readonly marks: number } & Written);

const NOTHING: Written = { changed: 0, unchanged: 0, removed: 0 };

/** Whole rows of marks, the oldest first, until they hold the limit. */
const OLDEST_MARKS = `
  select id, key
  from (
    select id, keys, sum(cardinality(keys)) over (order by id) - cardinality(keys) as before
    from (select id, keys from projection.mark where version = $1 and bucket = $2 order by id limit $3) oldest
  ) counted cross join unnest(keys) key
  where before < $3`;

/**
 * Projects about `limit` marked documents of a bucket and clears their marks, in one transaction. The bucket is
 * locked before anything is read, so of two projectors the later one reads the newer rows; a mark made
 * meanwhile has an id of its own and stays.
 */
export async function drainBucket(
  pool: Pool,
  projection: Projection,
  version: Version,
  bucket: number,
  registry: SourceRegistry,
  limit: number,
): Promise<Drained> {
  return transaction(pool, async (client) => {
    const { rows: locked } = await client.query<{ got: boolean }>({
      name: 'lock-bucket',
      text: 'select pg_try_advisory_xact_lock($1, $2) as got',
      values: [LOCKS.bucket, version.id * BUCKETS + bucket],
    });
    if (!locked[0]?.got) return { busy: true };
    await client.query({
      name: 'lock-delivery',
      text: 'select pg_advisory_xact_lock_shared($1)',
      values: [LOCKS.delivery],
    });
    const { rows: marks } = await client.query<{ id: string; key: SubjectRef }>({
      name: 'marks-of-bucket',
      text: OLDEST_MARKS,
      values: [version.id, bucket, limit],
    });
    if (marks.length === 0) return { busy: false, marks: 0, ...NOTHING };
    const keys = [...new Set(marks.map(({ key }) => key))].sort();
    const projected = await projection.project(keys, mirrorReader(client, registry), registry);
    const written = await writeDocuments(client, version, projected);
    const touches = new Set(projected.flatMap((entry) => entry.touches));
    await markDirty(
      client,
      [...touches].map((key) => ({ version, key })),
    );
    const ids = [...new Set(marks.map(({ id }) => Number(id)))];
    await client.query({
      name: 'clear-marks',
      text: 'delete from projection.mark where version = $1 and bucket = $2 and id = any($3::int8[])',
      values: [version.id, bucket, int8Array(ids)],
    });
    return { busy: false, marks: marks.length, ...written };
  });
}
