import type { Pool } from 'pg';
import { int2Array, textArray } from '../../../db/arrays.ts';
import type { SubjectRef } from '../../../projections/engine/rows.ts';
import { bucketOf } from '../../../projections/engine/store/mark.ts';

interface Flood {
  readonly keys: readonly SubjectRef[];
  /** Rows of marks that wait in each version at any time, of 32 marks each. */
  readonly rows: number;
  /** Ends the flood. */
  readonly signal: AbortSignal;
}

const FLOOD = `
  with dirty as materialized (
    select nextval('projection.mark_id_seq') as id, bucket, array_fill(key, array[32]) as keys
    from unnest($1::int2[], $2::text[]) document (bucket, key)
      cross join generate_series(1, 1 + $3 / array_length($2::text[], 1))
    where (select count(*) from projection.mark join projection.version on version.id = version where state = 'live') < 2 * $3
  )
  insert into projection.mark (id, version, bucket, keys) overriding system value
  select dirty.id, version.id, bucket, keys
  from dirty cross join projection.version where projection = 'artist' and state <> 'retired'`;

/** Marks artists dirty again and again, so that projectors never clear all of the marks. */
export async function floodMarks(pool: Pool, { keys, rows, signal }: Flood): Promise<void> {
  const values = [int2Array(keys.map(bucketOf)), textArray(keys), rows];
  while (!signal.aborted) await pool.query(FLOOD, values);
}
